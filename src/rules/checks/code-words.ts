import { readFileSync } from 'node:fs'

/** Shorter words are not listed: literals have at least this length. */
export const MIN_WORD_LENGTH = 5

/** Splits the text of a bundle, or a literal, into names and words in lower case. */
export function splitIntoWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\w$-]+/g) ?? []
}

let commonWords: ReadonlySet<string> | undefined

/** Maximum number of names in a chain such as `window.localStorage.setItem`. Longer combinations are distinctive. */
const MAX_CHAINED_WORDS = 3

/**
 * Finds out whether a literal is a common English word, the name of a Web API, or a word that several well-known libraries
 * contain (tools/common-words.ts writes the list), with any punctuation, or a chain of such names. Bundles of every kind
 * contain these.
 */
export function isCommon(literal: string): boolean {
  commonWords ??= new Set(readFileSync(new URL('code-words.txt', import.meta.url), 'utf8').split('\n'))
  const words = splitIntoWords(literal)
  if (words.length > MAX_CHAINED_WORDS || (words.length > 1 && /\w\s+\w/.test(literal))) return false
  return words.every((word) => commonWords?.has(word))
}
