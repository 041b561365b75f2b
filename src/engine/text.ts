/** Lower case for ASCII letters alone: everything else stays, so offsets and other scripts stay too. */
export function lower(text: string): string {
  if (!hasUpper(text)) return text
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Most texts are short and have no capitals: a loop is faster than a pattern there. */
function hasUpper(text: string): boolean {
  if (text.length > 100) return /[A-Z]/.test(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code >= 65 && code <= 90) return true
  }
  return false
}

/** White space becomes one space; none at the ends. */
export function collapse(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, ' ').trim()
}

// Letters of scripts whose words are what stands between spaces, or digits: one word in any version of Unicode's rules.
const PLAIN = /^(?:[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+|[0-9]+)$/u
// Marks at the ends of a token, and inside it those that always part two words.
const ENDS = /^["'([{«„“‘¿¡#$€@*–—-]+|[.,;:!?…"')\]}»”’%*–—-]+$/g
const PARTS = /["#$%&()*+/<=>?@[\]^`{|}~\\!-]+/
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
/** The segmenter's cost goes by the square of a text without spaces: 100,000 Chinese characters at once take 7 s. */
const PIECE = 1000

/**
 * Words of a text with collapsed white space, as `Intl.Segmenter` counts them (in pieces of 1,000 characters).
 * Only what is not plain letters or digits pays for the segmenter, which never joins over a space.
 */
export function countWords(text: string): number {
  let words = 0
  let rest = ''
  const settle = (): void => {
    for (let at = 0; at < rest.length; at += PIECE)
      for (const segment of segmenter.segment(rest.slice(at, at + PIECE))) if (segment.isWordLike) words++
    rest = ''
  }
  const take = (token: string): void => {
    if (token === '') return
    if (PLAIN.test(token)) words++
    else {
      if (rest.length + token.length >= PIECE) settle()
      rest += `${token} `
    }
  }
  for (const token of text.split(' ')) {
    if (PLAIN.test(token)) words++
    else for (const part of token.replace(ENDS, '').split(PARTS)) take(part)
  }
  settle()
  return words
}
