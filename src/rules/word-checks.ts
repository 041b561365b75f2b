import { parseLocator } from '../engine/rule/locator.ts'
import type { Place } from '../engine/rule/place.ts'
import { RuleSyntaxError } from '../engine/rule/rule-syntax-error.ts'
import { parseSelector } from '../engine/rule/selector.ts'
import type { FindingCode } from './findings.ts'
import { hint } from './hint.ts'

/** What is wrong with a word, or with a locator of a test. */
export interface WordFault {
  readonly code: FindingCode
  readonly details: Readonly<Record<string, string>>
}

const SHORTEST = 3

/** Checks one word of a place; null when nothing is wrong with it. */
export function checkWord(word: string, place: Place): WordFault | null {
  if (place.word === 'locator') return checkLocator(word)
  if (place.word === 'selector') return checkSelector(word)
  if (place.word === 'literal')
    return word.length < SHORTEST ? { code: 'short-literal', details: { value: word } } : null
  if (place.names) {
    const [name, label] = word.toLowerCase().split(' ')
    if (place.names.includes(name) && (label === undefined || place.labels === true)) return null
    const details = { value: word, place: place.key, hint: hint(name, place.names), list: place.names.join(', ') }
    return { code: 'bad-detector-word', details }
  }
  return word.endsWith('*') && word.length <= SHORTEST ? { code: 'case-star', details: { value: word } } : null
}

/** Checks a locator; null when it is one. */
export function checkLocator(locator: string): WordFault | null {
  return faultOf(() => parseLocator(locator), 'bad-locator')
}

function checkSelector(selector: string): WordFault | null {
  // The parser takes the second of two marks for a part of the name.
  const bare = selector.replace(/\\.|"[^"]*"|'[^']*'/g, 'x').replace(/\[[^[\]]*\]/g, '')
  if (/[.#][.#]/.test(bare))
    return { code: 'bad-selector', details: { reason: `"${selector}" has a . or # without a name behind it` } }
  return faultOf(() => parseSelector(selector), 'bad-selector')
}

function faultOf(parse: () => unknown, code: FindingCode): WordFault | null {
  try {
    parse()
    return null
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error
    return { code, details: { reason: error.message } }
  }
}
