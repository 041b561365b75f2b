interface CopyProps {
  /** Id of the element whose text is copied. */
  readonly target: string
  /** Name of the copied text for screen readers, such as "API key". */
  readonly what: string
}

/** A button that copies a text. `portal.js` shows it: without JavaScript it could do nothing. */
function CopyButton({ target, what }: CopyProps) {
  return (
    <button type="button" class="button secondary copy" data-copy={target} hidden>
      Copy<span class="hidden"> {what}</span>
    </button>
  )
}

interface TextProps {
  readonly id: string
  /** Name of the text for screen readers, such as "API key". */
  readonly what: string
  readonly text: string
}

interface CodeBlockProps extends TextProps {
  /** Whether the text may be so long that it has to scroll. */
  readonly isLong?: boolean
}

/** Lines of code or output with a copy button. */
export function CodeBlock({ id, what, text, isLong = false }: CodeBlockProps) {
  const code = <pre id={id}>{text}</pre>
  return (
    <div class="code">
      {isLong ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard
        <section class="scroll" aria-label={what} tabIndex={0}>
          {code}
        </section>
      ) : (
        code
      )}
      <CopyButton target={id} what={what} />
    </div>
  )
}

/** A secret that is shown only once. Render it only in the response of the POST that made it. */
export function Secret({ id, what, text }: TextProps) {
  return (
    <div class="secret">
      <code id={id}>{text}</code>
      <CopyButton target={id} what={what} />
    </div>
  )
}
