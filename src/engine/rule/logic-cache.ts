import { applyLogic, type Hits } from './logic.ts'
import type { Logic } from './types.ts'

/** Expressions with more comparisons are always evaluated: the outcomes of the others fit into one small integer. */
const MAX_COMPARISONS = 30
/** Maximum number of results that are stored for one expression. Most have two or three on all pages together. */
const MAX_RESULTS = 64

/** A comparison of an expression: whether the sum of variables reaches a number. */
interface Comparison {
  readonly ids: readonly string[]
  readonly least: number
}

/** An expression with the results that it had so far, by the outcomes of its comparisons. */
interface Known {
  /** null if the outcomes do not determine the result. */
  readonly comparisons: readonly Comparison[] | null
  readonly results: Map<number, number>
}

/**
 * Applies expressions and stores the results. The compiler writes variables only into comparisons of a sum with a number, so
 * that the outcomes of the comparisons determine the result, and most pages repeat the outcomes of earlier ones.
 */
export class LogicCache {
  readonly #known = new Map<Logic, Known>()

  /** Evaluates an expression like `applyLogic`. */
  apply(logic: Logic, hits: Hits): number {
    let known = this.#known.get(logic)
    if (known === undefined)
      this.#known.set(logic, (known = { comparisons: listComparisons(logic), results: new Map() }))
    const { comparisons, results } = known
    if (comparisons === null) return applyLogic(logic, hits)
    let outcomes = 0
    for (let i = 0; i < comparisons.length; i++) if (isReached(comparisons[i], hits)) outcomes |= 1 << i
    let result = results.get(outcomes)
    if (result === undefined) {
      if (results.size >= MAX_RESULTS) results.clear()
      results.set(outcomes, (result = applyLogic(logic, hits)))
    }
    return result
  }
}

function isReached({ ids, least }: Comparison, hits: Hits): boolean {
  let sum = 0
  for (const id of ids) sum += hits[id] ?? 0
  return sum >= least
}

/** Lists the different comparisons of an expression; null if it reads a variable elsewhere, or has too many of them. */
function listComparisons(logic: Logic): readonly Comparison[] | null {
  const found = new Map<string, Comparison>()
  const isRead = (inner: Logic): boolean => {
    if (typeof inner !== 'object') return true
    if (Array.isArray(inner)) return inner.every(isRead)
    const comparison = readComparison(inner)
    if (comparison !== null) found.set(JSON.stringify(comparison), comparison)
    return comparison !== null || (!('var' in inner) && Object.values(inner).every(isRead))
  }
  return isRead(logic) && found.size <= MAX_COMPARISONS ? [...found.values()] : null
}

function readComparison(logic: object): Comparison | null {
  if (!('>=' in logic)) return null
  const [value, least] = logic['>='] as readonly Logic[]
  const ids = readSum(value)
  return ids === null || typeof least !== 'number' ? null : { ids, least }
}

/** Reads the variables of a sum; null if it contains anything else. */
function readSum(logic: Logic): string[] | null {
  if (typeof logic !== 'object') return null
  if ('var' in logic) return [String((logic.var as readonly Logic[])[0])]
  if (!('+' in logic)) return null
  const parts = (logic['+'] as readonly Logic[]).map(readSum)
  return parts.every((part) => part !== null) ? parts.flat() : null
}
