import type { Detector } from '../page/detector.ts'
import { FOUND } from '../rule/clause.ts'
import { findNeeds, type Need } from '../rule/logic.ts'
import type { Categories, Clause, CompiledRule } from '../rule/types.ts'
import { PlaceIndex, prepareLeaf } from './place-index.ts'

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
  readonly needs: ReadonlyMap<Clause, readonly Need[]>
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
    this.needs = new Map(parts.rules.flatMap(({ clauses }) => clauses.map((one) => [one, findNeeds(one.holds)])))
    this.readPlaces = [...places.values()].filter(({ detector, words }) => words.size > 0 && detector.key !== FOUND.key)
    this.bySlug = indexBySlug(parts.rules, (kind) => kind === 'builder' || kind === 'technology')
    this.hostingBySlug = indexBySlug(parts.rules, (kind) => kind === 'hosting')
  }

  /** Lists the words that rules ask of a place, for example the DNS records that have to be fetched. */
  wanted(place: string): readonly string[] {
    return [...(this.places.get(place)?.words.keys() ?? [])]
  }
}

function indexBySlug(
  rules: readonly CompiledRule[],
  wanted: (kind: CompiledRule['kind']) => boolean,
): Map<string, CompiledRule> {
  return new Map(rules.filter(({ kind }) => wanted(kind)).map((rule) => [rule.slug, rule]))
}
