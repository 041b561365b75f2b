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
  const trimmed = text.trim()
  return isCollapsed(trimmed) ? trimmed : trimmed.replace(/[^\S ]\s*| \s+/g, ' ')
}

/** Maximum length of a text for which a loop is faster than a pattern, in characters. */
const MAX_LOOPED_CHARACTERS = 64

/** Whether a short text surely contains no white space but single spaces, as in most link texts. */
function isCollapsed(text: string): boolean {
  if (text.length > MAX_LOOPED_CHARACTERS) return false
  let wasSpace = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Above ASCII, white space is U+00A0 and, from U+1680 on, rare among letters of other scripts.
    if (code < 32 || code === 0xa0 || code >= 0x1680 || (code === 32 && wasSpace)) return false
    wasSpace = code === 32
  }
  return true
}

/** Whether a part of a document is white space, like most text between tags. */
export function isBlank(html: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = html.charCodeAt(i)
    if (code > 32 || (code < 9 && code >= 0) || (code > 13 && code < 32)) return false
  }
  return true
}

/** Removes all but letters and digits, so that `map-box`, `Map Box` and `mapbox` are the same. */
export function squeeze(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
}
