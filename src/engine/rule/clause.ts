import { parseLocator } from './locator.ts'
import type { Family, Place, Weight } from './place.ts'
import type { ClauseSource } from './types.ts'

/** The engine's own place: the builder and technologies of the verdict. Only site types can use it, and no plugin reads it. */
export const FOUND: Place = {
  key: 'found',
  about:
    'A builder or technology that was already detected, or category: and the category of the builder; site types only',
  family: 'found',
  word: 'value',
}

/**
 * The beginning of a word of `found` that names a category: the clause holds if the builder of the verdict is of this
 * category.
 */
export const CATEGORY_PREFIX = 'category:'

/** Places by key. */
export type Places = ReadonlyMap<string, Place>

/** Indexes places by key, including the engine's own place. */
export function indexPlaces(detectors: readonly Place[]): Places {
  return new Map([...detectors, FOUND].map((detector) => [detector.key, detector]))
}

/** A parsed clause: one place with its tests, or a group of clauses. */
export type ClauseNode =
  | {
      readonly kind: 'leaf'
      readonly place: Place
      readonly words: readonly string[]
      readonly source: ClauseSource
    }
  | { readonly kind: 'not'; readonly clauses: readonly [ClauseNode] }
  | { readonly kind: 'all' | 'any' | 'of'; readonly clauses: readonly ClauseNode[]; readonly least: number }

/** Parses a checked clause. */
export function readClause(source: ClauseSource, places: Places): ClauseNode {
  const group = (key: string): ClauseNode[] =>
    toList<ClauseSource>(source[key]).map((clause) => readClause(clause, places))
  if ('not' in source) return { kind: 'not', clauses: [readClause(source.not as ClauseSource, places)] }
  if ('all' in source) {
    const clauses = group('all')
    return { kind: 'all', clauses, least: clauses.length }
  }
  if ('any' in source) return { kind: 'any', clauses: group('any'), least: 1 }
  if ('of' in source) return { kind: 'of', clauses: group('of'), least: Number(source.atLeast ?? 1) }
  const key = Object.keys(source).find((name) => places.has(name))
  const place = key === undefined ? undefined : places.get(key)
  if (key === undefined || place === undefined) throw new TypeError(`no place in ${JSON.stringify(source)}`)
  return { kind: 'leaf', place, words: toList(source[key]).map(String), source }
}

/** Turns one value or a list into a list. */
export function toList<T>(value: unknown): readonly T[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value as T]
}

/** Finds the clauses of a group that can give points: all except `not`. */
export function findPositive(node: ClauseNode): readonly ClauseNode[] {
  return node.kind === 'leaf' || node.kind === 'not' ? [] : node.clauses.filter(({ kind }) => kind !== 'not')
}

/** Finds the family of a clause. A group has the family of its first positive clause; null if it has none. */
export function findFamily(node: ClauseNode): Family | null {
  if (node.kind === 'leaf') return node.place.family
  const [first] = findPositive(node)
  return first === undefined ? null : findFamily(first)
}

const WEIGHTS: readonly Weight[] = ['weak', 'medium', 'strong']

/** Whether `a` is a higher weight than `b`. */
export function isHeavier(a: Weight, b: Weight): boolean {
  return WEIGHTS.indexOf(a) > WEIGHTS.indexOf(b)
}

/** Lowers a weight by one step; weak stays weak. */
export function lowerWeight(weight: Weight): Weight {
  return weight === 'strong' ? 'medium' : 'weak'
}

/**
 * Finds the highest weight that a clause can have, which is also its default weight. Text can be a quotation, so it is weak.
 * Assets can be hot-linked, so a host name alone is medium. A builder is only a prior of a site type, so it is medium. A
 * group gets the weight of the weakest set of clauses with which it holds: for `all` the strongest clause, for `any` the
 * weakest, for `atLeast: n` the n-th weakest.
 */
export function findMaxWeight(node: ClauseNode): Weight {
  if (node.kind === 'leaf') return findMaxLeafWeight(node.place, node.words, node.source)
  const weights = findPositive(node).map((clause) => WEIGHTS.indexOf(findMaxWeight(clause)))
  if (node.kind === 'not' || weights.length === 0) return 'weak'
  const least = node.kind === 'all' ? weights.length : Math.min(node.least, weights.length)
  return WEIGHTS[weights.sort((a, b) => a - b)[least - 1]]
}

function findMaxLeafWeight(place: Place, words: readonly string[], source: ClauseSource): Weight {
  const declared = findDeclaredWeight(place, words)
  if (declared !== undefined) return declared
  if (place.family === 'content' && place.word === 'literal') return 'weak'
  if (place.family === FOUND.family) return 'medium'
  if (place.family !== 'loaded' || 'has' in source || 'is' in source || 'match' in source) return 'strong'
  const locators = [place.word === 'locator' ? words : [], toList<string>(source.under)].filter(
    (list) => list.length > 0,
  )
  return locators.length > 0 && locators.every((list) => list.some(isHostAlone)) ? 'medium' : 'strong'
}

/** The lowest weight that a place declares for some of its words. */
function findDeclaredWeight({ maxWeight }: Place, words: readonly string[]): Weight | undefined {
  if (maxWeight === undefined || typeof maxWeight === 'string') return maxWeight
  const weights = words.flatMap((word) => maxWeight[word.split(' ')[0].toLowerCase()] ?? [])
  return WEIGHTS.find((weight) => weights.includes(weight))
}

function isHostAlone(locator: string): boolean {
  const { hosts, segments, root } = parseLocator(locator)
  return hosts !== 'any' && segments.length === 0 && !root
}
