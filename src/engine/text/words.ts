const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
/** The segmenter's cost goes by the square of a text without spaces. */
const PIECE = 100
/**
 * Scripts that put no spaces between words. The segmenter looks their words up in a dictionary, which costs 1 µs a word
 * and differs between versions.
 */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]+/gu
const DENSE_WORD = 2

// What a character is to a word (Unicode's word boundaries, UAX 29, the parts that no version and no language changes):
// a letter or digit of scripts that put spaces between words, a mark that joins two letters or two digits, one that joins
// two digits alone, a mark that always parts two words, anything else.
const LETTER = 1
const DIGIT = 2
const JOINS_BOTH = 3
const JOINS_DIGITS = 4
const PARTING = 5
const OTHER = 6
const COLON = 58
const QUOTE = 34
const KINDS = new Uint8Array(0x10000).fill(OTHER)
for (const [from, to] of [
  'AZ',
  'az',
  '\u00c0\u00d6',
  '\u00d8\u00f6',
  '\u00f8\u024f',
  '\u0400\u0481',
  '\u048a\u052f',
  '\u0391\u03a1',
  '\u03a3\u03ce',
  '\u0621\u063a',
  '\u0641\u064a',
])
  KINDS.fill(LETTER, from.charCodeAt(0), to.charCodeAt(0) + 1)
KINDS.fill(DIGIT, 48, 58)
KINDS.fill(PARTING, 0, 0x20) // Control characters.
KINDS.fill(PARTING, 0x80, 0xa0) // The same, which UTF-8 that is taken for a Western charset is full of.
KINDS.fill(PARTING, 0x2190, 0x2200) // Arrows.
KINDS.fill(PARTING, 0x2500, 0x2600) // Lines and blocks.
KINDS.fill(PARTING, 0x3008, 0x3021) // Brackets.
for (const [kind, marks] of [
  [
    PARTING,
    ' !"#$%&()*+-/<=>?@[]\\^`{|}~¡¢£¤¥¦§¨©«¬®¯°±²³´¶¹»¼½¾¿×÷–—“”„‚†‡‰‹›•…€™　、。〃！＂＃＄％＆（）＊＋－／＜＝＞？＠',
  ],
  [JOINS_BOTH, "'.’‘＇．"],
  [JOINS_DIGITS, ',;，；'],
] as const)
  for (const mark of marks) KINDS[mark.charCodeAt(0)] = kind

// Where the count stands: outside a word, in letters, in digits, after a mark that may go on with them.
const NONE = 0
const LETTERS = 1
const DIGITS = 2
const LETTERS_MARK = 3
const DIGITS_MARK = 4
const BEGINS = 8
/** State and kind → state, with `BEGINS` where a word begins. */
const STEPS = new Uint8Array(8 * 8)
for (const [state, kind, next] of [
  [NONE, LETTER, LETTERS | BEGINS],
  [NONE, DIGIT, DIGITS | BEGINS],
  [LETTERS, LETTER, LETTERS],
  [LETTERS, DIGIT, DIGITS],
  [LETTERS, JOINS_BOTH, LETTERS_MARK],
  [DIGITS, LETTER, LETTERS],
  [DIGITS, DIGIT, DIGITS],
  [DIGITS, JOINS_BOTH, DIGITS_MARK],
  [DIGITS, JOINS_DIGITS, DIGITS_MARK],
  [LETTERS_MARK, LETTER, LETTERS],
  [LETTERS_MARK, DIGIT, DIGITS | BEGINS],
  [DIGITS_MARK, LETTER, LETTERS | BEGINS],
  [DIGITS_MARK, DIGIT, DIGITS],
] as const)
  STEPS[8 * state + kind] = next

/**
 * Words of a text with collapsed white space, as `Intl.Segmenter` counts them (in pieces of 100 characters); of scripts
 * without spaces between words, every two characters of a run are a word. Only what is not plain letters, digits and
 * marks pays for the segmenter, which never joins over a parting mark.
 */
export function countWords(text: string): number {
  let words = 0
  let state = NONE
  let from = 0 // Where the run between parting marks begins, and the words before it.
  let before = 0
  let rest = ''
  for (let i = 0; i < text.length; i++) {
    const kind = kindAt(text, i)
    if (kind < PARTING) {
      const step = STEPS[8 * state + kind]
      words += step >> 3
      state = step & 7
      continue
    }
    if (kind === OTHER) {
      while (i < text.length && kindAt(text, i) !== PARTING) i++
      const run = text.slice(from, i)
      const left = run.replace(DENSE, ' ')
      words = before
      if (left !== run) words += countDense(run) + countWords(left)
      else {
        if (rest.length + run.length >= PIECE) {
          words += countSegments(rest)
          rest = ''
        }
        rest += `${run} `
      }
    }
    state = NONE
    from = i + 1
    before = words
  }
  return words + countSegments(rest)
}

/** What the character at `i` is to a word. A colon may join letters, a quotation mark letters of Hebrew, and nothing else. */
function kindAt(text: string, i: number): number {
  const code = text.charCodeAt(i)
  if (code !== COLON && code !== QUOTE) return KINDS[code]
  const next = i + 1 < text.length ? KINDS[text.charCodeAt(i + 1)] : PARTING
  return next === OTHER || (next === LETTER && code === COLON) ? OTHER : PARTING
}

/** Words of scripts without spaces in a run. */
function countDense(run: string): number {
  return Array.from(run.matchAll(DENSE), ([{ length }]) => Math.ceil(length / DENSE_WORD)).reduce((a, b) => a + b, 0)
}

function countSegments(text: string): number {
  let words = 0
  for (let at = 0; at < text.length; at += PIECE)
    for (const segment of segmenter.segment(text.slice(at, at + PIECE))) if (segment.isWordLike) words++
  return words
}
