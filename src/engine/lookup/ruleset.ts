import type { Detector } from '../page/detector.ts'
import { FOUND } from '../rule/clause.ts'
import { findNeeds, listVariables, type Need } from '../rule/logic.ts'
import type { Categories, ClauseBase, CompiledRule, Logic } from '../rule/types.ts'
import { PlaceIndex, prepareLeaf } from './place-index.ts'

/** A site type, and the terms of its expression by the clause that they depend on. */
export interface TypeTerms {
  readonly rule: CompiledRule
  /** Terms that do not depend on a clause: the prior. */
  readonly constant: readonly Logic[]
  readonly byClause: ReadonlyMap<string, Logic>
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
  /** The values that a clause needs to hold. */
  readonly needs: ReadonlyMap<ClauseBase, readonly Need[]>
  readonly siteTypes: readonly TypeTerms[]
  /** Places that have a detector and that a rule asks for. */
  readonly readPlaces: readonly PlaceIndex[]

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
        place.add(prepareLeaf(rule, leaf, place.detector.word))
      }
    this.places = places
    const clauses = parts.rules.flatMap((rule): ClauseBase[] => [...rule.clauses, ...(rule.typeClauses ?? [])])
    this.needs = new Map(clauses.map((one) => [one, findNeeds(one.holds)]))
    this.siteTypes = parts.rules.filter(({ kind }) => kind === 'site-type').map(splitTerms)
    this.readPlaces = [...places.values()].filter(({ detector, words }) => words.size > 0 && detector.key !== FOUND.key)
    this.bySlug = indexBySlug(parts.rules, (kind) => kind === 'builder' || kind === 'technology')
    this.hostingBySlug = indexBySlug(parts.rules, (kind) => kind === 'hosting')
  }

  /** Lists the words that rules ask of a place, for example the DNS records that have to be fetched. */
  wanted(place: string): readonly string[] {
    return [...(this.places.get(place)?.words.keys() ?? [])]
  }
}

/** Splits the sum of a site type into its terms, so that a page evaluates only those whose clause may hold. */
function splitTerms(rule: CompiledRule): TypeTerms {
  const { logic } = rule
  const terms = typeof logic === 'object' && '+' in logic ? logic['+'] : [logic]
  const byClause = new Map<string, Logic>()
  const constant: Logic[] = []
  for (const term of terms) {
    const [id] = listVariables(term)
    if (id === undefined) constant.push(term)
    else byClause.set(id, term)
  }
  return { rule, constant, byClause }
}

function indexBySlug(
  rules: readonly CompiledRule[],
  wanted: (kind: CompiledRule['kind']) => boolean,
): Map<string, CompiledRule> {
  return new Map(rules.filter(({ kind }) => wanted(kind)).map((rule) => [rule.slug, rule]))
}
