/** Lower case for ASCII letters alone: everything else stays, so offsets and other scripts stay too. */
export function lower(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** White space becomes one space; none at the ends. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const PLAIN_TOKEN = /^[("'[]?(?:[A-Za-z]+|[0-9]+)[.,;:!?)"'\]]?$/
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
/** The segmenter's cost goes by the square of a text without spaces: 100,000 Chinese characters at once take 7 s. */
const PIECE = 1000

/**
 * Words of a text with collapsed white space, as `Intl.Segmenter` counts them (in pieces of 1,000 characters).
 * A token that is letters or digits with at most one mark around it is one word in any version of Unicode's rules;
 * only what is left pays for the segmenter, which never joins over a space.
 */
export function countWords(text: string): number {
  let words = 0
  let rest = ''
  const settle = (): void => {
    for (let at = 0; at < rest.length; at += PIECE)
      for (const segment of segmenter.segment(rest.slice(at, at + PIECE))) if (segment.isWordLike) words++
    rest = ''
  }
  for (const token of text.split(' ')) {
    if (PLAIN_TOKEN.test(token)) words++
    else if (token !== '') {
      if (rest.length + token.length >= PIECE) settle()
      rest += `${token} `
    }
  }
  settle()
  return words
}
