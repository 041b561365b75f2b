import type { Detector } from '../page/detector.ts'
import { FOUND } from '../rule/clause.ts'
import { applyLogic, listVariables } from '../rule/logic.ts'
import { type Evaluated, RuleResults } from '../rule/rule-results.ts'
import type { Categories, CompiledRule, Leaf, TypeClause } from '../rule/types.ts'
import { append } from '../text/lists.ts'
import { PlaceIndex, PreparedLeaf } from './place-index.ts'

/** A site type, and the values of the terms of its expression. */
export interface TypeTerms {
  readonly rule: CompiledRule
  /** The sum of the terms that do not depend on a clause: the prior. */
  readonly constant: number
  /** What a clause adds if it holds, by its id. A clause that does not hold adds 0, and so does one that is not listed. */
  readonly byClause: ReadonlyMap<string, number>
}

/** A clause of a site type with its rule. */
export interface RuleTypeClause {
  readonly rule: CompiledRule
  readonly clause: TypeClause
  /** What is evaluated: the result has points if the clause holds. */
  readonly evaluated: Evaluated
  /** What the clause adds if it holds: the number of a type, its points, the number of the next type and so on. */
  readonly terms: Int32Array
}

/** Compiled rules and the index over them. One ruleset serves any number of pages. */
export class Ruleset {
  readonly rules: readonly CompiledRule[]
  readonly categories: Categories
  /** Fingerprint of the rules: two rulesets with the same version give the same results. */
  readonly version: string
  readonly places: ReadonlyMap<string, PlaceIndex>
  /** Builders and technologies, which share one set of slugs. */
  readonly bySlug: ReadonlyMap<string, CompiledRule>
  readonly hostingBySlug: ReadonlyMap<string, CompiledRule>
  readonly siteTypes: readonly TypeTerms[]
  /** The clauses of site types by each of their positive leaves. */
  readonly typeClauses: ReadonlyMap<Leaf, RuleTypeClause>
  /** Places that have a detector and that at least one rule uses. */
  readonly readPlaces: readonly PlaceIndex[]
  readonly results = new RuleResults()

  constructor(parts: {
    rules: readonly CompiledRule[]
    categories: Categories
    detectors: readonly Detector[]
    version: string
  }) {
    this.rules = parts.rules
    this.categories = parts.categories
    this.version = parts.version
    const detectors = [...parts.detectors, { ...FOUND, read: () => [] }]
    const places = new Map(detectors.map((detector) => [detector.key, new PlaceIndex(detector)]))
    for (const rule of parts.rules)
      for (const leaf of rule.leaves) {
        const place = places.get(leaf.place)
        if (place === undefined)
          throw new TypeError(
            `rule ${rule.slug} uses the place "${leaf.place}", but no detector with that key is loaded`,
          )
        place.add(new PreparedLeaf(rule, leaf, place.detector.word))
      }
    this.places = places
    this.siteTypes = parts.rules.filter(({ kind }) => kind === 'site-type').map(splitTerms)
    const terms = indexTerms(this.siteTypes)
    this.typeClauses = new Map(parts.rules.flatMap((rule) => listTypeClauses(rule, terms)))
    this.readPlaces = [...places.values()].filter(({ detector, isEmpty }) => !isEmpty && detector.key !== FOUND.key)
    this.bySlug = indexBySlug(parts.rules, (kind) => kind === 'builder' || kind === 'technology')
    this.hostingBySlug = indexBySlug(parts.rules, (kind) => kind === 'hosting')
  }

  /** Lists the words that rules look for at a place, for example the DNS records that have to be fetched. */
  wanted(place: string): readonly string[] {
    return [...(this.places.get(place)?.words.keys() ?? [])]
  }
}

function listTypeClauses(
  rule: CompiledRule,
  terms: ReadonlyMap<string, readonly number[]>,
): (readonly [Leaf, RuleTypeClause])[] {
  return (rule.typeClauses ?? []).flatMap((clause) => {
    const leaves = rule.leaves.filter(({ id }) => clause.leaves.includes(id))
    const evaluated = { logic: clause.holds, clauses: [], leaves }
    const one = { rule, clause, evaluated, terms: Int32Array.from(terms.get(clause.id) ?? []) }
    return leaves.filter(({ positive }) => positive).map((leaf) => [leaf, one] as const)
  })
}

/**
 * Evaluates the terms of a site type, each with its clause. The expression is a sum, so that a page needs only the terms of the
 * clauses that hold.
 */
function splitTerms(rule: CompiledRule): TypeTerms {
  const { logic } = rule
  const terms = typeof logic === 'object' && '+' in logic ? logic['+'] : [logic]
  const byClause = new Map<string, number>()
  let constant = 0
  for (const term of terms) {
    const [id] = listVariables(term)
    if (id === undefined) constant += applyLogic(term, {})
    else byClause.set(id, applyLogic(term, { [id]: 1 }))
  }
  return { rule, constant, byClause }
}

/**
 * Lists the terms of each clause in the expressions of site types: number of a type and points that the clause adds,
 * alternating.
 */
function indexTerms(types: readonly TypeTerms[]): Map<string, number[]> {
  const terms = new Map<string, number[]>()
  for (const [type, { byClause }] of types.entries())
    for (const [id, value] of byClause) {
      append(terms, id, type)
      append(terms, id, value)
    }
  return terms
}

function indexBySlug(
  rules: readonly CompiledRule[],
  wanted: (kind: CompiledRule['kind']) => boolean,
): Map<string, CompiledRule> {
  return new Map(rules.filter(({ kind }) => wanted(kind)).map((rule) => [rule.slug, rule]))
}
