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

/**
 * Counts the words of a text. A word is a run of letters, digits and combining marks that starts with a letter or digit;
 * apostrophes and full stops continue it ("don't", "3.5"). In scripts without spaces every two characters are one word.
 * Close to `Intl.Segmenter` (on 1,967 real pages 60 words more or less on one), at a small, linear cost.
 */
export function countWords(text: string): number {
  let words = 0
  let isInWord = false
  let dense = 0 // Characters of the current run of a dense script.
  for (let i = 0; i < text.length; i++) {
    const kind = CLASSES[text.charCodeAt(i)] || classify(text, i)
    if (kind === SECOND_HALF) continue
    if (kind === DENSE_SCRIPT) {
      if (dense++ % 2 === 0) words++
      isInWord = false
      continue
    }
    dense = 0
    if (kind === STARTS && !isInWord) words++
    isInWord = kind === STARTS || (kind === CONTINUES && isInWord)
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
