import { getDomain } from 'tldts'
import { parseLocator } from '../../engine/rule/locator.ts'
import type { Place } from '../../engine/rule/place.ts'
import { RuleSyntaxError } from '../../engine/rule/rule-syntax-error.ts'
import { parseSelector } from '../../engine/rule/selector.ts'
import { formatHint } from '../../yaml/hint.ts'
import type { FindingCode } from '../findings.ts'
import { isCommon } from './code-words.ts'
import { isCommonGlobal } from './global-names.ts'

/** A problem of a word of a clause, or of a locator in a test. */
export interface WordProblem {
  readonly code: FindingCode
  readonly details: Readonly<Record<string, string>>
}

/** Minimum number of characters of a literal, and of a name before its `*`. */
const MIN_LENGTH = 3
/** Minimum number of characters of a literal in texts so long that shorter ones occur in them by chance. */
const MIN_WINDOW_LITERAL_LENGTH = 5

/**
 * Checks one word of a place. Returns null if it is valid.
 * @param isNarrowed whether the clause also tests what is around the word
 */
export function checkWord(word: string, place: Place, isNarrowed = false): WordProblem | null {
  if (place.word === 'locator') return checkLocator(word) ?? checkScript(word, place)
  if (place.word === 'selector') return checkSelector(word)
  if (place.word === 'literal') return checkLiteral(word, place, isNarrowed)
  if (place.names) {
    const [name, label] = word.toLowerCase().split(' ')
    if (place.names.includes(name) && (label === undefined || place.labels === true))
      return checkLabel(word, name, label)
    const details = { value: word, place: place.key, hint: formatHint(name, place.names), list: place.names.join(', ') }
    return { code: 'bad-detector-word', details }
  }
  if (place.key === 'global' && isCommonGlobal(word)) return { code: 'common-global', details: { value: word } }
  return word.endsWith('*') && word.length <= MIN_LENGTH ? { code: 'case-star', details: { value: word } } : null
}

function checkLiteral(word: string, { windowCharacters }: Place, isNarrowed: boolean): WordProblem | null {
  const least = windowCharacters === undefined ? MIN_LENGTH : MIN_WINDOW_LITERAL_LENGTH
  if (word.length < least) return { code: 'short-literal', details: { value: word, least: String(least) } }
  if (windowCharacters === undefined || !isCommon(word)) return null
  return { code: isNarrowed ? 'frequent-literal' : 'common-literal', details: { value: word } }
}

/** A label is joined to the host of the page, so a whole host name as a label never exists. */
function checkLabel(word: string, name: string, label = ''): WordProblem | null {
  if (getDomain(label, { allowPrivateDomains: true }) === null) return null
  return { code: 'label-with-suffix', details: { value: word, label, instead: `{ dns: ${name}, under: ${label} }` } }
}

/** Endings of paths that a page does not load as a script. */
const NOT_A_SCRIPT = /\/[^/]+\.(?:avif|css|eot|gif|ico|jpe?g|less|otf|pdf|png|s[ac]ss|svg|ttf|webp|woff2?)$/i

/** No page has a script with the path of a style sheet, a picture or a font, so such a word never hits. */
function checkScript(locator: string, { key }: Place): WordProblem | null {
  return key === 'script' && NOT_A_SCRIPT.test(locator)
    ? { code: 'not-a-script', details: { value: locator, place: key } }
    : null
}

/** Checks a locator. Returns null if it is valid. */
export function checkLocator(locator: string): WordProblem | null {
  return findParseProblem(() => parseLocator(locator), 'bad-locator')
}

function checkSelector(selector: string): WordProblem | null {
  // The parser would accept the second of two marks as part of the name.
  const bare = selector.replace(/\\.|"[^"]*"|'[^']*'/g, 'x').replace(/\[[^[\]]*\]/g, '')
  if (/[.#][.#]/.test(bare))
    return { code: 'bad-selector', details: { reason: `"${selector}" has a . or # without a name after it` } }
  return findParseProblem(() => parseSelector(selector), 'bad-selector')
}

function findParseProblem(parse: () => unknown, code: FindingCode): WordProblem | null {
  try {
    parse()
    return null
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error
    return { code, details: { reason: error.message } }
  }
}
