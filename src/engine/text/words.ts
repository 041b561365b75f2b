/**
 * Scripts that put no spaces between words. A dictionary would be needed to find their words; two characters count as one
 * word instead, which is close to the average of Chinese, Japanese and Thai.
 */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc]/u

// Classes of characters; 0 is a character that has not been classified yet.
const OTHER = 1
const STARTS = 2
const CONTINUES = 3
const DENSE_SCRIPT = 4
const SECOND_HALF = 5
/** Class by UTF-16 code unit, filled as characters occur: the four Unicode properties are tested once for each. */
const CLASSES = new Uint8Array(0x10000)

// What the characters so far are: no word, a word, or a run of a dense script with an odd or even number of characters.
const OUTSIDE = 0
const WORD = 1
const ODD_RUN = 2
const EVEN_RUN = 3
/** Flag of a step at which a word begins. */
const BEGINS = 4
/**
 * The next state, with `BEGINS` where a word begins, by class and state. A processor predicts the branches of such a loop badly:
 * words have all lengths.
 */
const STEPS = buildSteps()

function buildSteps(): Uint8Array {
  const steps = new Uint8Array(8 * 4)
  for (const state of [OUTSIDE, WORD, ODD_RUN, EVEN_RUN]) {
    steps[OTHER * 4 + state] = OUTSIDE
    steps[STARTS * 4 + state] = state === WORD ? WORD : WORD | BEGINS
    steps[CONTINUES * 4 + state] = state === WORD ? WORD : OUTSIDE
    steps[DENSE_SCRIPT * 4 + state] = state === ODD_RUN ? EVEN_RUN : ODD_RUN | BEGINS
    steps[SECOND_HALF * 4 + state] = state
  }
  return steps
}

/**
 * Counts the words of a text. A word is a run of letters, digits and combining marks that starts with a letter or digit;
 * apostrophes and full stops continue it ("don't", "3.5"). In scripts without spaces every two characters are one word.
 * Close to `Intl.Segmenter` (on 1,967 real pages 60 words more or less on one), at a small, linear cost.
 */
export function countWords(text: string): number {
  let words = 0
  let state = OUTSIDE
  for (let i = 0; i < text.length; i++) {
    const step = STEPS[((CLASSES[text.charCodeAt(i)] || classify(text, i)) << 2) | state]
    words += step >> 2
    state = step & 3
  }
  return words
}

/** Classifies the character at `i`. Surrogates are not remembered: one code unit does not identify a character. */
function classify(text: string, i: number): number {
  const code = text.charCodeAt(i)
  if (code >= 0xdc00 && code < 0xe000) {
    const before = text.charCodeAt(i - 1)
    return before >= 0xd800 && before < 0xdc00 ? SECOND_HALF : OTHER
  }
  if (code >= 0xd800 && code < 0xdc00) return readClass(String.fromCodePoint(text.codePointAt(i) ?? code))
  return (CLASSES[code] = readClass(text[i]))
}

function readClass(character: string): number {
  if (DENSE.test(character)) return DENSE_SCRIPT
  if (/[\p{L}\p{N}]/u.test(character)) return STARTS
  return /[\p{M}'’.]/u.test(character) ? CONTINUES : OTHER
}
