import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { HiddenFields } from './form.tsx'

interface ConfirmProps {
  /** `primary` for a harmless action; `danger` by default. */
  readonly kind?: 'primary' | 'danger'
  /** Label of the button that opens the question, such as "Revoke…". */
  readonly label: string
  /** Subject of the action for screen readers, such as the name of a key. */
  readonly subject?: string
  /** Path that the form is posted to. */
  readonly action: string
  /** Hidden fields of the form. */
  readonly values?: Readonly<Record<string, string>>
  /** Label of the button that performs the action, such as "Revoke this key". */
  readonly button: string
  /** The question, the consequences, and more fields. */
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
