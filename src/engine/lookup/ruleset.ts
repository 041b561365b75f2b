import type { Detector } from '../page/detector.ts'
import { FOUND } from '../rule/clause.ts'
import { listLeaves } from '../rule/list-leaves.ts'
import type { Categories, CompiledRule, Leaf, RuleSummary, TypeClause } from '../rule/types.ts'
import { append } from '../text/lists.ts'
import { Sections } from '../text/sections.ts'
import { listMaxWords } from './max-words.ts'
import { PackedRules, packRules } from './packed-rules.ts'
import { PlaceIndex, packPlace } from './place-index.ts'
import { PreparedLeaf } from './prepared-leaf.ts'

/** A clause of a site type, with its rule and its leaves. */
export interface RuleTypeClause {
  readonly rule: CompiledRule
  readonly clause: TypeClause
  readonly leaves: readonly Leaf[]
  /** The points that it gives to each of the site types, in their order: a list is faster to add up than a table by slug. */
  readonly points: Int32Array
}

/** The rules of a ruleset, and what they share. */
export interface RulesetContent {
  readonly rules: readonly CompiledRule[]
  readonly categories: Categories
  /** Fingerprint of the rules: two rulesets with the same version give the same results. */
  readonly version: string
}

/** A compiled ruleset: what is small as data, rules and index as typed arrays. */
export interface PackedRuleset {
  readonly version: string
  readonly categories: Categories
  /** The places that rules use. */
  readonly places: readonly string[]
  /** All places that rules could use when it was compiled, and what each finds. */
  readonly known: readonly KnownPlace[]
  readonly sections: Sections
}

/** What a compiled ruleset keeps of a detector. */
export type KnownPlace = Pick<Detector, 'key' | 'family' | 'word' | 'about'>

/** Finds a rule by its slug. */
export interface RulesBySlug {
  get(slug: string): CompiledRule | undefined
}

/**
 * Rules and the index over them. One ruleset serves any number of pages. A rule is decoded when a page has one of its words, so a
 * start costs the same for any number of rules.
 */
export class Ruleset {
  readonly categories: Categories
  readonly version: string
  /** The places that rules use. */
  readonly places: ReadonlyMap<string, PlaceIndex>
  /** Builders and technologies, which share one set of slugs. */
  readonly bySlug: RulesBySlug
  readonly hostingBySlug: RulesBySlug
  readonly siteTypesBySlug: RulesBySlug
  /** Those that are read on a page. */
  readonly readPlaces: readonly PlaceIndex[]
  /** The compiled form, from which other threads open the same ruleset. */
  readonly packed: PackedRuleset
  readonly #rules: PackedRules
  readonly #typeClauses = new Map<CompiledRule, ReadonlyMap<Leaf, RuleTypeClause>>()
  readonly #typeNumbers: Uint32Array
  /** By leaf. */
  readonly #maxWords: Uint32Array
  #siteTypes: readonly RuleSummary[] | undefined
  #all: readonly CompiledRule[] | undefined

  /** @throws TypeError if a rule uses a place without a detector, or if a section is missing */
  constructor(packed: PackedRuleset, detectors: readonly Detector[]) {
    const { version, categories, places, sections } = packed
    this.packed = packed
    this.categories = categories
    this.version = version
    this.#rules = new PackedRules(sections.at('rules'))
    this.#typeNumbers = sections.words('siteTypes')
    this.#maxWords = sections.words('maxWords')
    this.bySlug = { get: (slug) => this.#rules.find(slug, 'builder') }
    this.hostingBySlug = { get: (slug) => this.#rules.find(slug, 'hosting') }
    this.siteTypesBySlug = { get: (slug) => this.#rules.find(slug, 'site-type') }
    const getLeaf = this.#buildLeafReader()
    const all = listDetectors(detectors)
    checkPlaces(places, all)
    this.places = new Map(
      all
        .filter(({ key }) => places.includes(key))
        .map((detector) => [detector.key, new PlaceIndex(detector, sections.at(`places.${detector.key}`), getLeaf)]),
    )
    this.readPlaces = [...this.places.values()].filter(({ detector }) => detector.key !== FOUND.key)
  }

  /** Compiles the index of rules, and opens it. */
  static of(content: RulesetContent, detectors: readonly Detector[]): Ruleset {
    return new Ruleset(packRuleset(content, detectors), detectors)
  }

  #buildLeafReader(): (number: number) => PreparedLeaf {
    // A list of its full length: V8 turns one that grows by jumps into a hash table, whose lookups take several times as long.
    const prepared = new Array<PreparedLeaf | undefined>(this.#rules.leafCount)
    return (number) => (prepared[number] ??= this.#prepareLeaf(number))
  }

  #prepareLeaf(number: number): PreparedLeaf {
    const owner = this.#rules.findOwner(number)
    const leaf = this.#rules.getLeaf(number)
    return new PreparedLeaf(leaf, {
      kind: this.places.get(leaf.place)?.word ?? 'name',
      isOfSiteType: this.#typeNumbers.includes(owner),
      maxWords: this.#maxWords[number],
      readRule: () => this.#rules.get(owner),
    })
  }

  /** All rules. They are decoded on first use; detection does not use this list. */
  get rules(): readonly CompiledRule[] {
    this.#all ??= Array.from({ length: this.#rules.count }, (_, i) => this.#rules.get(i))
    return this.#all
  }

  /** The site types without their clauses, which are ten times the size: a page has hits of a few types, and compares all of them. */
  get siteTypes(): readonly RuleSummary[] {
    this.#siteTypes ??= Array.from(this.#typeNumbers, (number) => this.#rules.getSummary(number))
    return this.#siteTypes
  }

  /** Finds the clause of a site type that has a leaf. */
  findTypeClause(rule: CompiledRule, leaf: Leaf): RuleTypeClause | undefined {
    let clauses = this.#typeClauses.get(rule)
    if (clauses === undefined) this.#typeClauses.set(rule, (clauses = indexTypeClauses(rule, this.siteTypes)))
    return clauses.get(leaf)
  }

  /** Lists the words that rules look for at a place, for example the DNS records that have to be fetched. */
  wanted(place: string): readonly string[] {
    return this.places.get(place)?.listWords() ?? []
  }
}

/** Compiles the index of rules. @throws TypeError if a rule uses a place without a detector */
export function packRuleset(
  { rules, categories, version }: RulesetContent,
  detectors: readonly Detector[],
): PackedRuleset {
  const sections = new Sections()
  packRules(rules, sections.at('rules'))
  const types = rules.flatMap(({ kind }, i) => (kind === 'site-type' ? i : []))
  sections.put('siteTypes', Uint32Array.from(types))
  sections.put('maxWords', Uint32Array.from(rules.flatMap((rule) => listMaxWords(rule, detectors))))
  const byPlace = new Map<string, { leaf: Leaf; number: number }[]>()
  for (const [number, leaf] of rules.flatMap(({ leaves }) => leaves).entries())
    append(byPlace, leaf.place, { leaf, number })
  const places = [...byPlace.keys()]
  checkPlaces(places, listDetectors(detectors))
  for (const detector of listDetectors(detectors)) {
    const leaves = byPlace.get(detector.key)
    if (leaves !== undefined) packPlace(detector, leaves, sections.at(`places.${detector.key}`))
  }
  const known = detectors.map(({ key, family, word, about }) => ({ key, family, word, about }))
  return { version, categories, places, known, sections }
}

/** All detectors, and the place of what was found. */
function listDetectors(detectors: readonly Detector[]): Detector[] {
  return [...detectors, { ...FOUND, read: () => [] }]
}

function checkPlaces(places: readonly string[], detectors: readonly Detector[]): void {
  const known = new Set(detectors.map(({ key }) => key))
  for (const place of places)
    if (!known.has(place))
      throw new TypeError(`a rule uses the place "${place}", but no detector with that key is loaded`)
}

/** Indexes the clauses of a site type by each of their positive leaves. */
function indexTypeClauses(rule: CompiledRule, types: readonly RuleSummary[]): ReadonlyMap<Leaf, RuleTypeClause> {
  return new Map(
    (rule.typeClauses ?? []).flatMap((clause) => {
      const leaves = listLeaves(clause, rule.leaves)
      const one = { rule, clause, leaves, points: Int32Array.from(types, ({ slug }) => clause.points[slug] ?? 0) }
      return leaves.filter(({ positive }) => positive).map((leaf) => [leaf, one] as const)
    }),
  )
}
