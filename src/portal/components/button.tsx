import type { ComponentChildren } from 'preact'

type ButtonKind = 'primary' | 'secondary' | 'danger'

interface ButtonProps {
  readonly kind?: ButtonKind
  /** Sent with the form if this button was used. */
  readonly name?: string
  readonly value?: string
  readonly children: ComponentChildren
}

/** A button that sends its form. */
export function Button({ kind = 'primary', name, value, children }: ButtonProps) {
  return (
    <button type="submit" class={nameClass(kind)} name={name} value={value}>
      {children}
    </button>
  )
}

interface LinkButtonProps {
  readonly kind?: ButtonKind
  readonly href: string
  readonly children: ComponentChildren
}

/** A link that looks like a button. */
export function LinkButton({ kind = 'primary', href, children }: LinkButtonProps) {
  return (
    <a class={nameClass(kind)} href={href}>
      {children}
    </a>
  )
}

function nameClass(kind: ButtonKind): string {
  return kind === 'primary' ? 'button' : `button ${kind}`
}
