import { PageReader, Value } from '../lookup/leaf-test.ts'
import type { PlaceIndex } from '../lookup/place-index.ts'
import { isBareNegation, type PreparedLeaf } from '../lookup/prepared-leaf.ts'
import type { Ruleset } from '../lookup/ruleset.ts'
import type { Found } from '../page/detector.ts'
import type { Page } from '../page/page-types.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { append } from '../text/lists.ts'
import { UrlSet } from './url-set.ts'

/** Maximum number of values of one leaf that are stored as evidence. */
const MAX_EVIDENCE_VALUES = 3
const NO_VALUES: Value[] = []
/** Finds outside of elements are numbered from here, so that they never equal the index of an element. */
const FIRST_SERIAL = 2 ** 32

/**
 * Files that count as evidence where a clause asks for files of the page's own site: those of its host, also the scripts and
 * style sheets of sibling hosts, or all files of the site.
 */
export type OwnFiles = 'host' | 'code' | 'site'

/** Which hits of a leaf count: with some files of the site, or those that no tag of a container adds under a condition. */
export type HitScope = OwnFiles | 'sure'

/** The hits of one leaf on a page. */
export interface LeafHits {
  /** With all files of the site. */
  count: number
  /** The same count with fewer files. */
  ofHost: number
  withCode: number
  /** Those that a tag of a container adds under a condition. */
  conditional: number
  /** The first values, for the evidence. */
  values: Value[]
  version?: string
  /** Values that were counted: elements or serial numbers, usually in ascending order, or URLs. Created by the first one. */
  places?: number[]
  urls?: UrlSet
}

/** The hits of all leaves on one page. */
export class PageHits {
  readonly page: Page
  readonly ruleset: Ruleset
  readonly #warnings: string[] = []
  textsTested = 0
  readonly #byLeaf = new Map<Leaf, LeafHits>()
  /** Amounts, by place: their leaves under a `not` are counted when a clause asks for them. */
  readonly #amounts = new Map<string, Value[]>()
  readonly #lifted = new Set<CompiledRule>()
  readonly #liftedTypeLeaves = new Set<PreparedLeaf>()
  readonly #versioned = new Set<CompiledRule>()
  readonly #reader: PageReader
  /** Words of the page, if leaves of clauses that exclude so many are passed over; otherwise 0. */
  readonly #words: number
  #ownHosts: ReadonlySet<string> | undefined
  #place: PlaceIndex | undefined
  #serial = FIRST_SERIAL
  #hasConditional = false

  constructor(page: Page, ruleset: Ruleset, reach: Reach) {
    this.page = page
    this.ruleset = ruleset
    this.#reader = new PageReader(page)
    this.#words = reach === 'deciding' ? page.words : 0
  }

  get warnings(): string[] {
    return [...this.#warnings, ...this.#reader.warnings]
  }

  /** Positive leaves of site types that have enough hits. */
  get liftedTypeLeaves(): Iterable<PreparedLeaf> {
    return this.#liftedTypeLeaves
  }

  /** Rules with a hit on a positive leaf, except site types. All other rules score 0 points. */
  get lifted(): Iterable<CompiledRule> {
    return this.#lifted
  }

  /** Whether a hit of the rule shows a version. */
  hasVersion(rule: CompiledRule): boolean {
    return this.#versioned.has(rule)
  }

  get(leaf: Leaf): LeafHits | undefined {
    return this.#byLeaf.get(leaf) ?? (isBareNegation(leaf) ? this.#countOnDemand(leaf) : undefined)
  }

  /** Counts the hits of a leaf that the index of its place leaves alone. */
  #countOnDemand(leaf: Leaf): LeafHits | undefined {
    const { place: key, words } = leaf
    const place = this.ruleset.places.get(key)
    const amounts = this.#amounts.get(key)?.filter(({ found }) => words.includes(found.name.toLowerCase())) ?? []
    const most = Math.max(leaf.atLeast ?? 1, MAX_EVIDENCE_VALUES)
    const elements = place?.word === 'selector' ? place.findElements(this.page, words, most) : []
    if (amounts.length === 0 && elements.length === 0) return undefined
    const count = amounts.reduce((sum, { found }) => sum + (found.amount ?? 1), elements.length)
    const first = elements.slice(0, MAX_EVIDENCE_VALUES).map((at) => new Value({ name: words[0], at }, this.#reader))
    const values = [...amounts.slice(0, MAX_EVIDENCE_VALUES), ...first]
    const hits = this.#getHits(leaf)
    Object.assign(hits, { count, ofHost: count, withCode: count, values })
    return hits
  }

  /** Whether a leaf has a hit under a condition. */
  get hasConditional(): boolean {
    return this.#hasConditional
  }

  /** Counts the hits of a leaf in a scope. */
  count(leaf: Leaf, files: HitScope): number {
    const hits = this.get(leaf)
    if (hits === undefined) return 0
    if (files === 'sure') return hits.count - hits.conditional
    return files === 'site' ? hits.count : files === 'code' ? hits.withCode : hits.ofHost
  }

  /** Whether the place of a leaf was seen for each of its words. */
  isSeen(leaf: Leaf): boolean {
    const detector = this.ruleset.places.get(leaf.place)?.detector
    if (detector?.seen === undefined) return true
    try {
      return leaf.words.every((word) => detector.seen?.(this.page, word))
    } catch {
      return false // A detector that throws loses its own place only.
    }
  }

  /** Reads one place. A detector that throws loses its own place only; the failure becomes a warning. */
  read(place: PlaceIndex): void {
    try {
      const finds: Iterable<Found> | undefined = place.detector.read(this.page, place)
      if (typeof finds?.[Symbol.iterator] !== 'function')
        throw new TypeError('`read` must return a list of finds or be a generator, not async')
      for (const found of finds) this.testFound(place, found)
      if (place.word === 'selector') this.#warnings.push(...place.warnings)
    } catch (error) {
      this.#warnings.push(
        `the detector "${place.detector.key}" failed: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  /** Tests one find against the leaves that it may hit. */
  testFound(place: PlaceIndex, found: Found): void {
    this.#serial++
    this.#place = place
    const { key, isAmount } = place.detector
    if (isAmount) append(this.#amounts, key, new Value(found, this.#reader))
    place.visit(found, this.#reader, this)
  }

  /** Tests one leaf that a value may hit. The index calls it. */
  visit(item: PreparedLeaf, value: Value): void {
    if (item.maxWords <= this.#words) return
    this.textsTested++
    if (value.found.through !== undefined && !countsTags(item)) return
    if (!item.accepts(value)) return
    const hits = this.#getHits(item.leaf)
    // Done before the next check, because only a later occurrence in a text may show the version.
    const version = item.takeVersion(value)
    if (version !== undefined) {
      hits.version ??= version
      this.#versioned.add(item.rule)
    }
    if (!this.#isNew(hits, value)) return
    const before = hits.count
    const { amount = 1 } = value.found
    const files = item.countsSiblings ? this.#findOwnFiles(value) : 'host'
    hits.count += amount
    if (files !== 'site') hits.withCode += amount
    if (files === 'host') hits.ofHost += amount
    if (value.found.isConditional) {
      hits.conditional += amount
      this.#hasConditional = true
    }
    if (before === 0) hits.values = [value]
    else if (hits.values.length < MAX_EVIDENCE_VALUES) hits.values.push(value)
    if (!item.isPositive || hits.count < item.least || before >= item.least) return
    if (item.isOfSiteType) this.#liftedTypeLeaves.add(item)
    else this.#lifted.add(item.rule)
  }

  /** Finds the smallest set of files with which a file of the page's own site counts. */
  #findOwnFiles({ url }: Value): OwnFiles {
    this.#ownHosts ??= findOwnHosts(this.page)
    if (url === null || this.#ownHosts.has(stripWww(url.host))) return 'host'
    return CODE_FILE.test(url.path) ? 'code' : 'site'
  }

  /** Counts each value once: equal URLs, and finds in the same element, are the same value. */
  #isNew(hits: LeafHits, value: Value): boolean {
    const { found } = value
    const url = found.url ?? (this.#place?.word === 'locator' ? value.url : null)
    if (url) {
      if (hits.urls !== undefined) return hits.urls.add(url)
      hits.urls = new UrlSet(url)
      return true
    }
    const place = found.at ?? this.#serial
    const { places } = hits
    if (places === undefined)
      hits.places = [place] // A list for one number: most leaves have one hit.
    else {
      const last = places[places.length - 1]
      if (place === last || (place < last && places.includes(place))) return false
      places.push(place)
    }
    return true
  }

  #getHits(leaf: Leaf): LeafHits {
    let hits = this.#byLeaf.get(leaf)
    if (hits === undefined) {
      hits = {
        count: 0,
        ofHost: 0,
        withCode: 0,
        conditional: 0,
        values: NO_VALUES,
        version: undefined,
        places: undefined,
        urls: undefined,
      }
      this.#byLeaf.set(leaf, hits)
    }
    return hits
  }
}

/**
 * Scripts and style sheets, by file name. Other files of a sibling host prove little: images from a shop or blog of the same
 * owner say nothing about the page that shows them.
 */
const CODE_FILE = /\.(?:css|m?js)$/i

/** Whether tags of a container count: they show which technologies a site uses, not what it was built with, nor what it lacks. */
function countsTags({ rule, isPositive }: PreparedLeaf): boolean {
  return isPositive && rule.kind === 'technology'
}

/** Removes `www.`: most sites respond with and without it. */
function stripWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

/** Finds the hosts of the page itself, without `www.`: the host of its address and the host that relative URLs resolve to. */
function findOwnHosts({ base }: Page): ReadonlySet<string> {
  return new Set(['', new URL(base.href).hostname, base.pageHost ?? ''].map(stripWww))
}

/** Which hits are read: all, for explanations, or those that can decide, for a verdict. */
export type Reach = 'all' | 'deciding'

/** Reads every place that at least one rule uses. */
export function readHits(ruleset: Ruleset, page: Page, reach: Reach = 'all'): PageHits {
  const hits = new PageHits(page, ruleset, reach)
  for (const place of ruleset.readPlaces) hits.read(place)
  return hits
}
