import { lowerWeight } from '../rule/clause.ts'
import { listLeaves } from '../rule/list-leaves.ts'
import { applyLogic, type Variables } from '../rule/logic.ts'
import type { Weight } from '../rule/place.ts'
import type { Clause, CompiledRule, Leaf, WeightedClause } from '../rule/types.ts'
import type { HitScope, PageHits } from './hits.ts'

/** A clause of a builder, technology or hosting provider that holds on a page. */
export interface HeldClause {
  readonly clause: WeightedClause
  /** Its weight on the page, which is lower if it holds only with files of sibling hosts. */
  readonly weight: Weight
  /** Whether it holds only with files of sibling hosts other than scripts and style sheets. */
  readonly needsOtherFiles: boolean
  /** Whether it holds only with tags of a container that wait for something that the page does not show. */
  readonly isConditional: boolean
}

/** Finds the clauses of a rule that hold on a page. */
export function findHeldClauses(rule: CompiledRule, hits: PageHits): HeldClause[] {
  const held: HeldClause[] = []
  const ofClauses = listLeavesOfClauses(rule)
  for (const [i, clause] of rule.clauses.entries()) {
    const own = ofClauses[i]
    if (!holds(clause, own, hits)) continue
    const isConditional = hits.hasConditional && !holds(clause, own, hits, 'sure')
    held.push({ ...weigh(clause, own, hits), isConditional })
  }
  return held
}

/** Lowers the weight of a clause by one step with scripts or style sheets of sibling hosts, and to weak with other files. */
function weigh(clause: WeightedClause, leaves: readonly Leaf[], hits: PageHits): Omit<HeldClause, 'isConditional'> {
  const { weight } = clause
  const isOwn = weight === 'weak' || !leaves.some(countsSiblings) || holds(clause, leaves, hits, 'host')
  if (isOwn) return { clause, weight, needsOtherFiles: false }
  return holds(clause, leaves, hits, 'code')
    ? { clause, weight: lowerWeight(weight), needsOtherFiles: false }
    : { clause, weight: 'weak', needsOtherFiles: true }
}

const countsSiblings = ({ siblingId }: Leaf): boolean => siblingId !== undefined

const LEAVES = new WeakMap<CompiledRule, readonly (readonly Leaf[])[]>()

/** Lists the leaves of each clause of a rule. The lists are kept: the rule of a response has up to fifty leaves in thirty clauses. */
function listLeavesOfClauses(rule: CompiledRule): readonly (readonly Leaf[])[] {
  let lists = LEAVES.get(rule)
  if (lists === undefined) LEAVES.set(rule, (lists = rule.clauses.map((clause) => listLeaves(clause, rule.leaves))))
  return lists
}

/** Whether a clause holds. The expression of a clause with one leaf says that the leaf has enough hits, and is not evaluated. */
export function holds(clause: Clause, leaves: readonly Leaf[], hits: PageHits, files: HitScope = 'site'): boolean {
  if (leaves.length !== 1)
    return mayHold(clause, leaves, hits, files) && evaluate(clause, buildVariables(leaves, hits, files))
  const [leaf] = leaves
  return hits.count(leaf, files) >= (leaf.atLeast ?? 1)
}

/**
 * Whether a clause holds if nothing is found that it excludes, which takes less to find out. The compiler refuses clauses that hold where
 * nothing is found, and negates leaves only, so hits of leaves under a `not` never make a clause hold.
 */
function mayHold(clause: Clause, leaves: readonly Leaf[], hits: PageHits, files: HitScope): boolean {
  const variables: Record<string, number> = {}
  let isFound = false
  for (const leaf of leaves) {
    const count = leaf.positive ? hits.count(leaf, files) : 0
    if (count > 0) {
      variables[leaf.id] = count
      isFound = true
    }
    if (leaf.seenId !== undefined) variables[leaf.seenId] = 1
  }
  return isFound && evaluate(clause, variables)
}

function evaluate({ holds }: Clause, variables: Variables): boolean {
  return applyLogic(holds, variables) !== 0
}

/** Builds the data of expressions over some leaves. */
export function buildVariables(leaves: readonly Leaf[], hits: PageHits, files: HitScope = 'site'): Variables {
  const variables: Record<string, number> = {}
  for (const leaf of leaves) {
    const count = hits.count(leaf, files)
    if (count > 0) variables[leaf.id] = count
    if (leaf.seenId !== undefined && hits.isSeen(leaf)) variables[leaf.seenId] = 1
  }
  return variables
}
