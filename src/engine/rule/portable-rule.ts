import { append } from '../text/lists.ts'
import { lowerWeight } from './clause.ts'
import { listLeaves } from './list-leaves.ts'
import { atLeast, choose, count, every, least, not, some, sum, variable } from './logic.ts'
import type { Family, Weight } from './place.ts'
import type { CompiledRule, Leaf, Logic, WeightedClause } from './types.ts'

/** Points of a rule with a strong clause that holds, which is also the maximum. */
export const MAX_POINTS = 6

/** A clause of the portable form, with what its weight on a page depends on. */
interface PortableClause extends WeightedClause {
  /** Whether it holds without files of sibling hosts; if not, its weight is lower. Only if a leaf has a `siblingId`. */
  readonly ownHost?: Logic
  /** Whether it holds without files of sibling hosts other than scripts and style sheets. */
  readonly siblingCode?: Logic
}

/**
 * The portable form of a compiled rule: with expressions for everything that this engine computes from the clauses, so that
 * another implementation only needs a JSON Logic library.
 */
export interface PortableRule extends Omit<CompiledRule, 'clauses'> {
  readonly clauses: readonly PortableClause[]
  /**
   * The expression from hits to points, 0 to 6. For a site type: from the clauses of all site types that hold (1 each,
   * by id) to tenths of log-odds.
   */
  readonly logic: Logic
}

/** Adds the expressions of the portable form. Those of a site type need the clauses of all site types. */
export function exportRules(rules: readonly CompiledRule[]): PortableRule[] {
  const terms = listTypeTerms(rules)
  return rules.map((rule) => {
    const isType = rule.kind === 'site-type'
    const logic = isType ? sum([rule.prior ?? 0, ...(terms.get(rule.slug) ?? [])]) : buildPoints(rule)
    return { ...rule, clauses: rule.clauses.map((clause) => addOwnFiles(clause, rule.leaves)), logic }
  })
}

/** Removes the expressions of the portable form that this engine does not evaluate. */
export function importRule({ logic: _, clauses, ...rule }: PortableRule): CompiledRule {
  return { ...rule, clauses: clauses.map(({ ownHost: __, siblingCode: ___, ...clause }) => clause) }
}

/** Lists the terms of the score of each site type: `if(holds, points, 0)` for each clause that gives it points. */
function listTypeTerms(rules: readonly CompiledRule[]): ReadonlyMap<string, Logic[]> {
  const terms = new Map<string, Logic[]>()
  for (const { id, points } of rules.flatMap(({ typeClauses = [] }) => typeClauses))
    for (const [type, value] of Object.entries(points))
      if (value !== 0) append(terms, type, choose(variable(id), value, 0))
  return terms
}

/** Adds when a clause holds without files of sibling hosts. */
function addOwnFiles(clause: WeightedClause, all: readonly Leaf[]): PortableClause {
  const leaves = listLeaves(clause, all)
  if (leaves.every(({ siblingId }) => siblingId === undefined)) return clause
  const [ownHost, siblingCode] = [1, 2].map((needed) => excludeSiblings(clause.holds, leaves, needed))
  return { ...clause, ownHost, siblingCode }
}

/** Returns the expression in which leaves do not hold if they need files of sibling hosts of kind `needed` (1 or 2) or above. */
function excludeSiblings(logic: Logic, leaves: readonly Leaf[], needed: number): Logic {
  if (typeof logic !== 'object' || Array.isArray(logic)) return logic
  const [operation, args] = Object.entries(logic)[0] as [string, readonly Logic[]]
  const inner = { [operation]: args.map((arg) => excludeSiblings(arg, leaves, needed)) }
  const [first] = args
  if (operation !== '>=' || typeof first !== 'object' || !('var' in first)) return inner
  const siblingId = leaves.find(({ id }) => id === (first.var as readonly unknown[])[0])?.siblingId
  return siblingId === undefined ? inner : every([inner, not(atLeast(variable(siblingId), needed))])
}

/** A clause at one of the weights that it can have, and when it has that weight. */
interface WeightCase {
  readonly weight: Weight | 'sibling files'
  readonly family: Family
  readonly holds: Logic
}

function listWeightCases({ weight, family, holds, ownHost, siblingCode }: PortableClause): readonly WeightCase[] {
  if (ownHost === undefined || siblingCode === undefined || weight === 'weak') return [{ weight, family, holds }]
  return [
    { weight, family, holds: ownHost },
    { weight: lowerWeight(weight), family, holds: every([siblingCode, not(ownHost)]) },
    { weight: 'sibling files', family, holds: every([holds, not(siblingCode)]) },
  ]
}

/** Builds the expression for the points of a rule. Most pages have no file of a sibling host, which one comparison shows. */
export function buildPoints({ clauses, leaves }: Pick<CompiledRule, 'clauses' | 'leaves'>): Logic {
  const plain = sumWeights(clauses)
  const siblings = leaves.flatMap(({ siblingId }) => (siblingId === undefined ? [] : variable(siblingId)))
  if (siblings.length === 0) return plain
  const cases = clauses.flatMap((clause) => listWeightCases(addOwnFiles(clause, leaves)))
  return choose(atLeast(sum(siblings), 1), sumWeights(cases), plain)
}

/** Builds the sum that `computePoints` computes. */
function sumWeights(cases: readonly WeightCase[]): Logic {
  const listHolds = (weight: WeightCase['weight']): Logic[] =>
    cases.filter((one) => one.weight === weight).map(({ holds }) => holds)
  const families = new Map<Family, Logic[]>()
  for (const { weight, family, holds } of cases)
    if (weight === 'medium') families.set(family, [...(families.get(family) ?? []), holds])
  const medium = [...families.values()].map((holds) => choose(some(holds), 3, 0))
  const [strong, weak, files] = [listHolds('strong'), listHolds('weak'), listHolds('sibling files')]
  const fromFiles = files.length > 0 ? choose(some(files), 1, 0) : 0
  const fromWeak = weak.length > 0 ? least(2, count(weak)) : 0
  const light = weak.length > 0 && files.length > 0 ? choose(some(weak), fromWeak, fromFiles) : fromWeak || fromFiles
  const parts = light === 0 ? medium : [...medium, light]
  const added: Logic = parts.length > 0 ? least(MAX_POINTS, sum(parts)) : 0
  return strong.length > 0 ? choose(some(strong), MAX_POINTS, added) : added
}
