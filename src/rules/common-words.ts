import { readFileSync } from 'node:fs'

/** Shorter words are common in any case. */
export const MIN_WORD_LENGTH = 5

/** A URL, or at least three words: distinctive as a whole, although each word is common. */
const PHRASE = /:\/\/|\S\s+\S+\s+\S/

/** Splits the text of a bundle, or a literal, into names and words in lower case. */
export function splitIntoWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\w$-]+/g) ?? []
}

let commonWords: ReadonlySet<string> | undefined

/**
 * Finds out whether a literal consists of common words only: of English words, names of Web APIs, and words that several
 * well-known libraries contain (tools/common-words.ts writes the list). Such a literal occurs in bundles of every kind. A URL
 * and a phrase of three or more words are never common.
 */
export function isCommon(literal: string): boolean {
  if (PHRASE.test(literal)) return false
  commonWords ??= new Set(readFileSync(new URL('common-words.txt', import.meta.url), 'utf8').split('\n'))
  return splitIntoWords(literal).every((word) => word.length < MIN_WORD_LENGTH || commonWords?.has(word))
}
