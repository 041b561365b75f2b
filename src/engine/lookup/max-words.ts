import { applyLogic } from '../rule/logic.ts'
import type { Clause, CompiledRule, Leaf } from '../rule/types.ts'
import { isBareNegation } from './prepared-leaf.ts'

/** More words than any page has. */
export const NO_MAX_WORDS = 0xffff_ffff

/**
 * Finds, for each leaf of a rule, the number of visible words from which on its clause never holds. Most rules of responses exclude long
 * pages, and look for words in titles and headings, which every page has.
 */
export function listMaxWords({ leaves, clauses, typeClauses = [] }: CompiledRule): number[] {
  const found = new Map<string, number>()
  for (const clause of [...clauses, ...typeClauses]) {
    const own = leaves.filter(({ id }) => clause.leaves.includes(id))
    const most = Math.min(NO_MAX_WORDS, ...own.filter((leaf) => isBound(leaf, clause, own)).map(readLeast))
    for (const { id } of own) found.set(id, most)
  }
  return leaves.map(({ id }) => found.get(id) ?? NO_MAX_WORDS)
}

const readLeast = ({ atLeast = 1 }: Leaf): number => atLeast

/** Whether a clause does not hold on a page with as many words as a leaf excludes, whatever else the page has. */
function isBound(leaf: Leaf, { holds }: Clause, own: readonly Leaf[]): boolean {
  if (leaf.place !== 'size' || leaf.words.join() !== 'words' || !isBareNegation(leaf)) return false
  const most = own.flatMap(({ id, seenId, positive, atLeast = 1 }) => [
    ...(positive ? [[id, atLeast] as const] : []),
    ...(seenId === undefined ? [] : [[seenId, 1] as const]),
  ])
  return applyLogic(holds, { ...Object.fromEntries(most), [leaf.id]: readLeast(leaf) }) === 0
}
