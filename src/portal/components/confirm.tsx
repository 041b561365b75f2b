import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { HiddenFields } from './form.tsx'

interface ConfirmProps {
  /** `primary` for an action without harm; `danger` without it. */
  readonly kind?: 'primary' | 'danger'
  /** What opens the question: "Revoke…". */
  readonly label: string
  /** What the link is about, for screen readers: the name of a key. */
  readonly subject?: string
  /** Path that the form is posted to. */
  readonly action: string
  /** Hidden fields of the form. */
  readonly values?: Readonly<Record<string, string>>
  /** The label of the button that does it: "Revoke this key". */
  readonly button: string
  /** The question, what will happen, and further fields. */
  readonly children: ComponentChildren
}

/** An action that cannot be undone: opened first, confirmed with a second button. Works without JavaScript. */
export function Confirm({ kind = 'danger', label, subject, action, values = {}, button, children }: ConfirmProps) {
  return (
    <details class={`confirm ${kind}`}>
      <summary>
        {label}
        {subject !== undefined && <span class="hidden"> {subject}</span>}
      </summary>
      <form method="post" action={action}>
        <HiddenFields values={values} />
        {children}
        <Button kind={kind}>{button}</Button>
      </form>
    </details>
  )
}
