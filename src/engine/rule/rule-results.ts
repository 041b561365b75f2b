import { lowerWeight } from './clause.ts'
import { applyLogic, type Hits, listVariables } from './logic.ts'
import type { Clause, CompiledRule, Leaf, Logic } from './types.ts'

/** Rules with more comparisons are always evaluated: the outcomes of the others fit into one small integer. */
const MAX_COMPARISONS = 30
/** Maximum number of results that are stored for one rule. Most have two or three on all pages together. */
const MAX_RESULTS = 64

/** The part of a rule that is evaluated. */
export type Evaluated = Pick<CompiledRule, 'logic' | 'clauses' | 'leaves'>

/** A variable of the expressions of a rule: the hits of a leaf, the sibling files that it needs, or whether its place was seen. */
export interface Variable {
  readonly leaf: Leaf
  readonly of: 'hits' | 'siblings' | 'seen'
}

/** The values of variables on one page. */
export interface PageValues {
  read(leaf: Leaf, of: Variable['of']): number
  /** Builds the data of all variables of a rule that are not 0. */
  build(rule: Pick<CompiledRule, 'leaves'>): Hits
}

/** What the expressions of a rule give for the hits of a page. */
export interface RuleResult {
  readonly points: number
  /** The clauses that hold, each with its weight on the page; empty without points. */
  readonly held: readonly Clause[]
}

/** A comparison of an expression: whether the sum of variables reaches a number. */
interface Comparison {
  readonly sum: readonly Variable[]
  readonly least: number
}

/** A rule with the results that it had so far, by the outcomes of its comparisons. */
interface Known {
  /** null if the outcomes do not determine the result. */
  readonly comparisons: readonly Comparison[] | null
  readonly results: Map<number, RuleResult>
}

/**
 * Evaluates rules and stores the results. The compiler writes variables only into comparisons of a sum with a number, so that
 * the outcomes of the comparisons determine the result, and most pages repeat the outcomes of earlier ones.
 */
export class RuleResults {
  readonly #known = new Map<Evaluated, Known>()

  /** Gets the result of a rule. Pages share it. */
  get(rule: Evaluated, values: PageValues): RuleResult {
    let known = this.#known.get(rule)
    if (known === undefined) this.#known.set(rule, (known = { comparisons: listComparisons(rule), results: new Map() }))
    const { comparisons, results } = known
    if (comparisons === null) return evaluateRule(rule, values.build(rule))
    let outcomes = 0
    for (let i = 0; i < comparisons.length; i++) if (isReached(comparisons[i], values)) outcomes |= 1 << i
    let result = results.get(outcomes)
    if (result === undefined) {
      if (results.size >= MAX_RESULTS) results.clear()
      results.set(outcomes, (result = evaluateRule(rule, values.build(rule))))
    }
    return result
  }
}

/** Evaluates the expressions of a rule. */
export function evaluateRule({ logic, clauses }: Pick<Evaluated, 'logic' | 'clauses'>, hits: Hits): RuleResult {
  const points = applyLogic(logic, hits)
  const held = points === 0 ? [] : clauses.filter(({ holds }) => applyLogic(holds, hits))
  return { points, held: held.map((clause) => applyPageWeight(clause, hits)) }
}

/** Returns a clause with its weight on a page, which is lower if the clause holds only with files of sibling hosts. */
function applyPageWeight(clause: Clause, hits: Hits): Clause {
  const { weight, ownHost, siblingCode } = clause
  if (ownHost === undefined || siblingCode === undefined || applyLogic(ownHost, hits)) return clause
  return { ...clause, weight: applyLogic(siblingCode, hits) ? lowerWeight(weight) : 'weak' }
}

function isReached({ sum, least }: Comparison, values: PageValues): boolean {
  let total = 0
  for (const { leaf, of } of sum) total += values.read(leaf, of)
  return total >= least
}

/** Lists the different comparisons of a rule; null if it reads a variable elsewhere, or has too many of them. */
function listComparisons({ logic, clauses, leaves }: Evaluated): readonly Comparison[] | null {
  const variables = indexVariables(leaves)
  const found = new Map<string, Comparison>()
  const isRead = (inner: Logic | undefined): boolean => {
    if (typeof inner !== 'object') return true
    if (Array.isArray(inner)) return inner.every(isRead)
    const comparison = readComparison(inner, variables)
    if (comparison !== null) found.set(JSON.stringify(inner), comparison)
    return comparison !== null || (!('var' in inner) && Object.values(inner).every(isRead))
  }
  const expressions = clauses.flatMap(({ holds, ownHost, siblingCode }) => [holds, ownHost, siblingCode])
  return [logic, ...expressions].every(isRead) && found.size <= MAX_COMPARISONS ? [...found.values()] : null
}

type Variables = ReadonlyMap<string, Variable>

function indexVariables(leaves: readonly Leaf[]): Variables {
  const variables = new Map<string, Variable>()
  for (const leaf of leaves) visitVariables(leaf, (id, of) => variables.set(id, { leaf, of }))
  return variables
}

/** Passes each variable of a leaf to `visit`. */
export function visitVariables(leaf: Leaf, visit: (id: string, of: Variable['of']) => void): void {
  visit(leaf.id, 'hits')
  if (leaf.siblingId !== undefined) visit(leaf.siblingId, 'siblings')
  if (leaf.seenId !== undefined) visit(leaf.seenId, 'seen')
}

function readComparison(logic: object, variables: Variables): Comparison | null {
  if (!('>=' in logic)) return null
  const [value, least] = logic['>='] as readonly Logic[]
  const sum = readSum(value)?.flatMap((id) => variables.get(id) ?? [])
  return sum === undefined || typeof least !== 'number' ? null : { sum, least }
}

/** Reads the variables of a sum, or of one variable alone; undefined if it contains anything else. */
function readSum(logic: Logic): readonly string[] | undefined {
  const parts = typeof logic === 'object' && '+' in logic ? (logic['+'] as readonly Logic[]) : [logic]
  return parts.every((part) => typeof part === 'object' && 'var' in part) ? parts.flatMap(listVariables) : undefined
}
