import { toList } from '../../engine/rule/clause.ts'
import type { Place } from '../../engine/rule/place.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import type { PageWords } from './page-words.ts'
import { findAttribute, findLocator, findPhrase } from './place-words.ts'
import { splitTokens } from './tokens.ts'

/** Values of the kind that any place may have: a pattern that matches one in four of them tests nothing. */
const DULL_VALUES = [
  '1',
  '2026-11-20',
  '1.2.3',
  'true',
  'example',
  'Example 2.0',
  'width=device-width, initial-scale=1',
  'The quick brown fox jumps over the lazy dog',
  'https://www.example.com/files/main.js?v=2',
  'index, follow',
  'a3f9c2d17b',
  'en-US',
]
const MIN_DULL_SHARE = 0.25
/** Sections with whole values, by place. */
const VALUED = ['meta', 'header']

/** The sites of a word at a place, before its tests. */
export interface TestedWord {
  readonly word: string
  readonly place: Place
  /** On how many sites the word is. */
  readonly sites: number
}

/**
 * Estimates on how many sites each test of a clause holds, if its place has the word. A test without an estimate is narrow: 0.
 * @returns one number for each test, of which all have to hold
 */
export function estimateTests(clause: ClauseSource, tested: TestedWord, table: PageWords): number[] {
  const best = (key: string, estimate: (value: string) => number): number[] => {
    const values = toList<unknown>(clause[key]).map((value) => estimate(String(value).toLowerCase()))
    return values.length === 0 ? [] : [Math.max(...values)]
  }
  return [
    ...best('is', (value) => estimateValue(value, true, clause, tested, table)),
    ...best('has', (value) => estimateValue(value, false, clause, tested, table)),
    ...best('under', (value) =>
      Math.max(...listUrlSections(tested.place).map((one) => findLocator(value, one, table))),
    ),
    ...best('match', () => estimatePattern(String(clause.match), tested, table)),
  ]
}

/** Sections of the table whose URLs a test of a place can be about. */
function listUrlSections({ key, word }: Place): readonly string[] {
  if (key === 'link') return ['link-url']
  return word === 'locator' ? [key] : ['asset', 'anchor', 'link-url']
}

function estimateValue(
  value: string,
  isWhole: boolean,
  { attr }: ClauseSource,
  { word, place }: TestedWord,
  table: PageWords,
): number {
  const { key } = place
  if (attr !== undefined) {
    const action = isWhole ? 'equals' : 'any'
    return findAttribute({ name: String(attr).toLowerCase(), action, value }, table).sites
  }
  if (VALUED.includes(key)) {
    const name = word.toLowerCase()
    if (isWhole) return table.find(`${key}-value`, `${name}=${value}`).sites
    return findParts(splitTokens(value), (part) => table.find(`${key}-part`, `${name}~${part}`).sites, table)
  }
  if (place.word === 'literal') return findPhrase(value, [key], table)
  if (place.word === 'locator' || key === 'link')
    return findParts(
      splitTokens(value),
      (part) => Math.max(...['src', 'href'].map((name) => table.find('part', `${name}~${part}`).sites)),
      table,
    )
  if (place.word === 'selector' || key === 'jsonld') return findPhrase(value, ['text', 'title'], table)
  return 0
}

function findParts(parts: readonly string[], find: (part: string) => number, table: PageWords): number {
  return parts.length === 0 ? table.sites : Math.min(...parts.map(find))
}

/** Estimates a pattern by the values that the table has for the word; if these are none, by values that say nothing. */
function estimatePattern(match: string, { word, place, sites }: TestedWord, table: PageWords): number {
  const pattern = new RegExp(match, 'i')
  if (isVoid(pattern, word, place)) return sites
  if (!VALUED.includes(place.key)) return 0
  return table.sumBeginning(`${place.key}-value`, `${word.toLowerCase()}=`, (value) => pattern.test(value))
}

/** Whether a pattern matches values that have nothing to do with any product. Around a literal, they contain the literal. */
function isVoid(pattern: RegExp, word: string, { word: kind }: Place): boolean {
  const values = kind === 'literal' ? DULL_VALUES.map((value) => `${value} ${word} ${value}`) : DULL_VALUES
  return values.filter((value) => pattern.test(value)).length >= DULL_VALUES.length * MIN_DULL_SHARE
}
