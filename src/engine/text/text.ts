/** Converts ASCII letters to lower case. Other characters do not change, so offsets remain valid. */
export function lower(text: string): string {
  if (!hasUpper(text)) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is the ASCII range.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Whether a text has ASCII capitals. Most texts are short, and a loop is faster than a pattern for them. */
function hasUpper(text: string): boolean {
  if (text.length > 24) return /[A-Z]/.test(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 65 && code <= 90) return true
  }
  return false
}

/** Collapses white space to single spaces and trims both ends. */
export function collapse(text: string): string {
  return text.trim().replace(/[^\S ]\s*| \s+/g, ' ')
}

/** Whether a part of a document is white space, as most text between tags is. */
export function isBlank(html: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = html.charCodeAt(i)
    if (code > 32 || (code < 9 && code >= 0) || (code > 13 && code < 32)) return false
  }
  return true
}
