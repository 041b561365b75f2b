import type { Clause, Leaf } from './types.ts'

/** Lists the leaves of a clause among those of its rule. */
export function listLeaves(clause: Clause, leaves: readonly Leaf[]): readonly Leaf[] {
  return leaves.filter(({ id }) => clause.leaves.includes(id))
}
