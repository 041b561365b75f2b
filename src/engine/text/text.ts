/** Lower case for ASCII letters alone: everything else stays, so offsets and other scripts stay too. */
export function lower(text: string): string {
  if (!hasUpper(text)) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Most texts are short and have no capitals: a loop is faster than a pattern there. */
function hasUpper(text: string): boolean {
  if (text.length > 24) return /[A-Z]/.test(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 65 && code <= 90) return true
  }
  return false
}

/** White space becomes one space; none at the ends. */
export function collapse(text: string): string {
  return text.trim().replace(/[^\S ]\s*| \s+/g, ' ')
}

/** Most text between tags is a line break and an indent. */
export function isBlank(html: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = html.charCodeAt(i)
    if (code > 32 || (code < 9 && code >= 0) || (code > 13 && code < 32)) return false
  }
  return true
}
