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
  return text.replace(/[^\S ]\s*| \s+/g, ' ').trim()
}

/** Most text between tags is a line break and an indent. */
export function isBlank(html: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = html.charCodeAt(i)
    if (code > 32 || (code < 9 && code >= 0) || (code > 13 && code < 32)) return false
  }
  return true
}

const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
/** The segmenter's cost goes by the square of a text without spaces: 100,000 Chinese characters at once take 7 s. */
const PIECE = 100

// What a character is to a word (Unicode's word boundaries, UAX 29, the parts that no version and no language changes):
// a letter or digit of scripts that put spaces between words, a mark that always parts two words, a mark that joins two
// letters or two digits, one that joins two digits alone, anything else.
const LETTER = 1
const DIGIT = 2
const PARTING = 3
const JOINS_BOTH = 4
const JOINS_DIGITS = 5
const OTHER = 6
const KINDS = new Uint8Array(0x2030).fill(OTHER)
for (const [from, to] of ['AZ', 'az', '\u00c0\u00d6', '\u00d8\u00f6', '\u00f8\u024f', '\u0400\u0481', '\u048a\u052f'])
  KINDS.fill(LETTER, from.charCodeAt(0), to.charCodeAt(0) + 1)
KINDS.fill(DIGIT, 48, 58)
KINDS.fill(PARTING, 0, 0x20) // Control characters.
for (const [kind, marks] of [
  [PARTING, ' !"#$%&()*+-/<=>?@[]\\^`{|}~«»–—“”„•…'],
  [JOINS_BOTH, "'.’"],
  [JOINS_DIGITS, ',;'],
] as const)
  for (const mark of marks) KINDS[mark.charCodeAt(0)] = kind

/**
 * Words of a text with collapsed white space, as `Intl.Segmenter` counts them (in pieces of 100 characters).
 * Only what is not plain letters, digits and marks pays for the segmenter, which never joins over a parting mark.
 */
export function countWords(text: string): number {
  let words = 0
  let rest = ''
  for (let from = 0, to = 0; from < text.length; from = to + 1) {
    let count = 0
    let before = 0 // The letter or digit before the mark at hand, 0 for none.
    let mark = 0
    let isPlain = true
    for (to = from; to < text.length; to++) {
      const code = text.charCodeAt(to)
      const kind = code < KINDS.length ? KINDS[code] : OTHER
      if (kind === PARTING) break
      if (kind === OTHER) isPlain = false
      else if (kind === LETTER || kind === DIGIT) {
        if (mark !== 0 ? !joins(mark, before, kind) : before === 0) count++
        before = kind
        mark = 0
      } else {
        if (mark !== 0) before = 0
        mark = kind
      }
    }
    if (isPlain) words += count
    else {
      if (rest.length + to - from >= PIECE) {
        words += countSegments(rest)
        rest = ''
      }
      rest += `${text.slice(from, to)} `
    }
  }
  return words + countSegments(rest)
}

/** Whether a mark makes one word of what stands on both sides of it. */
function joins(mark: number, before: number, after: number): boolean {
  return before === after && (mark === JOINS_BOTH || after === DIGIT)
}

function countSegments(text: string): number {
  let words = 0
  for (let at = 0; at < text.length; at += PIECE)
    for (const segment of segmenter.segment(text.slice(at, at + PIECE))) if (segment.isWordLike) words++
  return words
}
