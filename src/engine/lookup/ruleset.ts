import type { Detector } from '../page/detector.ts'
import { FOUND } from '../rule/clause.ts'
import { findNeeds, type Need } from '../rule/logic.ts'
import type { Categories, Clause, CompiledRule } from '../rule/types.ts'
import { PlaceIndex, prepareLeaf } from './place-index.ts'

/** Compiled rules with the index over them. Made once, shared by any number of pages. */
export class Ruleset {
  readonly rules: readonly CompiledRule[]
  readonly categories: Categories
  /** Fingerprint of what the rules say: results of two rulesets with one version are the same. */
  readonly version: string
  readonly places: ReadonlyMap<string, PlaceIndex>
  /** Builders and technologies: they share one set of slugs. */
  readonly bySlug: ReadonlyMap<string, CompiledRule>
  readonly hostingBySlug: ReadonlyMap<string, CompiledRule>
  /** What must be there for a clause to hold. */
  readonly needs: ReadonlyMap<Clause, readonly Need[]>
  /** Places that a detector reads and a rule asks for. */
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
          throw new TypeError(`rule ${rule.slug} looks at "${leaf.place}", and no detector of that name is loaded`)
        place.add(prepareLeaf(rule, leaf, place.detector.word))
      }
    this.places = places
    this.needs = new Map(parts.rules.flatMap(({ clauses }) => clauses.map((one) => [one, findNeeds(one.holds)])))
    this.readPlaces = [...places.values()].filter(({ detector, words }) => words.size > 0 && detector.key !== FOUND.key)
    this.bySlug = indexBySlug(parts.rules, (kind) => kind === 'builder' || kind === 'technology')
    this.hostingBySlug = indexBySlug(parts.rules, (kind) => kind === 'hosting')
  }

  /** The words that rules ask of a place: tells a fetcher which DNS records anyone wants. */
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
