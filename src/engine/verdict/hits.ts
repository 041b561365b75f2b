import { PageReader, type Value } from '../lookup/leaf-test.ts'
import type { PlaceIndex, PreparedLeaf } from '../lookup/place-index.ts'
import type { Ruleset } from '../lookup/ruleset.ts'
import type { Found } from '../page/detector.ts'
import type { Page } from '../page/page-types.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { UrlSet } from './url-set.ts'

/** Maximum number of values of one leaf that are stored as evidence. */
const MAX_EVIDENCE_VALUES = 3
const NO_VALUES: Value[] = []
/** Finds outside of elements are numbered from here, so that they never equal the index of an element. */
const FIRST_SERIAL = 2 ** 32

/** The hits of one leaf on a page. */
export interface LeafHits {
  count: number
  /** The first values, for the evidence. */
  values: Value[]
  version?: string
  /** Values that were counted: elements or serial numbers, usually in ascending order, or URLs. Created by the first one. */
  places?: number[]
  urls?: UrlSet
  /** Parts of the count that come from sibling hosts: scripts and style sheets, and other files. */
  siblingCode: number
  siblingFiles: number
}

/** Computes which files of sibling hosts a leaf needs to reach `atLeast`: 0 none, 1 scripts or style sheets, 2 other files. */
export function computeNeededSiblings(leaf: Leaf, { count, siblingCode, siblingFiles }: LeafHits): 0 | 1 | 2 {
  const least = leaf.atLeast ?? 1
  if (count - siblingCode - siblingFiles >= least) return 0
  return count - siblingFiles >= least ? 1 : 2
}

/** The hits of all leaves on one page. */
export class PageHits {
  readonly page: Page
  readonly #warnings: string[] = []
  textsTested = 0
  readonly #byLeaf = new Map<Leaf, LeafHits>()
  readonly #lifted = new Set<CompiledRule>()
  readonly #liftedTypeLeaves = new Set<Leaf>()
  readonly #versioned = new Set<CompiledRule>()
  readonly #reader: PageReader
  #ownHosts: ReadonlySet<string> | undefined
  #place: PlaceIndex | undefined
  #serial = FIRST_SERIAL

  constructor(page: Page) {
    this.page = page
    this.#reader = new PageReader(page)
  }

  get warnings(): string[] {
    return [...this.#warnings, ...this.#reader.warnings]
  }

  /** Positive leaves of site types that have enough hits. */
  get liftedTypeLeaves(): Iterable<Leaf> {
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
    return this.#byLeaf.get(leaf)
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
    place.visit(found, this.#reader, this)
  }

  /** Tests one leaf that a value may hit. The index calls it. */
  visit(item: PreparedLeaf, value: Value): void {
    this.textsTested++
    if (!item.accepts(value)) return
    const hits = this.#getHits(item.leaf)
    // Done before the next check, because only a later occurrence in a text may show the version.
    const version = item.takeVersion()
    if (version !== undefined) {
      hits.version ??= version
      this.#versioned.add(item.rule)
    }
    if (!this.#isNew(hits, value)) return
    const before = hits.count
    hits.count += value.found.amount ?? 1
    if (item.countsSiblings) this.#countSibling(hits, value)
    if (before === 0) hits.values = [value]
    else if (hits.values.length < MAX_EVIDENCE_VALUES) hits.values.push(value)
    if (!item.isPositive || hits.count < item.least || before >= item.least) return
    if (item.isOfSiteType) this.#liftedTypeLeaves.add(item.leaf)
    else this.#lifted.add(item.rule)
  }

  /** Counts a file that belongs to the page's own site but is on a different host from the page. */
  #countSibling(hits: LeafHits, { found, url }: Value): void {
    this.#ownHosts ??= findOwnHosts(this.page)
    if (url === null || this.#ownHosts.has(stripWww(url.host))) return
    const amount = found.amount ?? 1
    if (CODE_FILE.test(url.path)) hits.siblingCode += amount
    else hits.siblingFiles += amount
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
        values: NO_VALUES,
        version: undefined,
        places: undefined,
        urls: undefined,
        siblingCode: 0,
        siblingFiles: 0,
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

/** Removes `www.`: most sites respond with and without it. */
function stripWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}

/** Finds the hosts of the page itself, without `www.`: the host of its address and the host that relative URLs resolve to. */
function findOwnHosts({ base }: Page): ReadonlySet<string> {
  return new Set(['', new URL(base.href).hostname, base.pageHost ?? ''].map(stripWww))
}

/** Reads every place that at least one rule uses. */
export function readHits(ruleset: Ruleset, page: Page): PageHits {
  const hits = new PageHits(page)
  for (const place of ruleset.readPlaces) hits.read(place)
  return hits
}
