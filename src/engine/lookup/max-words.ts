import type { Detector } from '../page/detector.ts'
import { listLeaves } from '../rule/list-leaves.ts'
import { applyLogic } from '../rule/logic.ts'
import type { Clause, CompiledRule, Leaf } from '../rule/types.ts'
import { isBareNegation } from './prepared-leaf.ts'

/** More words than any page has. */
const NO_MAX_WORDS = 0xffff_ffff

/**
 * Finds, for each leaf of a rule, the number of visible words from which on its clause never holds. Most rules of responses exclude long
 * pages, and look for words in titles and headings, which every page has.
 */
export function listMaxWords(
  { leaves, clauses, typeClauses = [] }: CompiledRule,
  detectors: readonly Pick<Detector, 'key' | 'wordOfPageWords'>[],
): number[] {
  const found = new Map<string, number>()
  for (const clause of [...clauses, ...typeClauses]) {
    const own = listLeaves(clause, leaves)
    const bounds = own.filter((leaf) => isOfWords(leaf, detectors) && excludes(clause, leaf, own))
    const most = Math.min(NO_MAX_WORDS, ...bounds.map(readLeast))
    for (const { id } of own) found.set(id, most)
  }
  return leaves.map(({ id }) => found.get(id) ?? NO_MAX_WORDS)
}

const readLeast = ({ atLeast = 1 }: Leaf): number => atLeast

/** Whether a leaf under a `not` bounds the number of visible words and nothing else. */
function isOfWords(leaf: Leaf, detectors: readonly Pick<Detector, 'key' | 'wordOfPageWords'>[]): boolean {
  const word = detectors.find(({ key }) => key === leaf.place)?.wordOfPageWords
  return word !== undefined && leaf.words.every((one) => one === word) && isBareNegation(leaf)
}

/** Whether a clause does not hold where a leaf under a `not` has enough hits, whatever else a page has. */
function excludes({ holds }: Clause, leaf: Leaf, own: readonly Leaf[]): boolean {
  const variables: Record<string, number> = { [leaf.id]: readLeast(leaf) }
  for (const { id, seenId, positive, atLeast = 1 } of own) {
    if (positive) variables[id] = atLeast
    if (seenId !== undefined) variables[seenId] = 1
  }
  return applyLogic(holds, variables) === 0
}
