import { type Value, versionOf } from './leaf-test.ts'
import type { LiveLeaf, PlaceIndex } from './place-index.ts'
import type { CompiledRule, Found, Leaf, Page } from './types.ts'
import { UrlResolver } from './url.ts'

/** Values of one leaf that are kept as evidence. */
const MAX_VALUES = 3

/** What one leaf found on a page. */
export interface LeafHits {
  count: number
  /** The first of them, for people. */
  readonly values: Value[]
  version?: string
  /** Values that are counted already. */
  readonly keys: Set<string | number>
}

/** The hits of all leaves on one page. */
export class PageHits {
  readonly page: Page
  readonly warnings: string[] = []
  textsTested = 0
  readonly #byRule = new Map<CompiledRule, Map<string, LeafHits>>()
  readonly #lifted = new Set<CompiledRule>()
  readonly #resolver: UrlResolver
  #serial = 0

  constructor(page: Page) {
    this.page = page
    this.#resolver = new UrlResolver(page.base)
  }

  /** Rules with a hit that can lift them: the others score nothing. */
  get lifted(): Iterable<CompiledRule> {
    return this.#lifted
  }

  of(rule: CompiledRule): ReadonlyMap<string, LeafHits> {
    return this.#byRule.get(rule) ?? new Map()
  }

  /** Reads one place. A detector that throws costs its own place and nothing else. */
  read(place: PlaceIndex): void {
    try {
      for (const found of place.detector.read(this.page, place)) this.take(place, found)
    } catch (error) {
      this.warnings.push(`the detector "${place.detector.key}" failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Tests one find against the leaves it may hit. */
  take(place: PlaceIndex, found: Found): void {
    const serial = ++this.#serial
    place.visit(found, this.page, this.#resolver, (item, value) => {
      this.textsTested++
      if (!item.tests.every((test) => test(value))) return
      const url = found.url ?? (place.detector.word === 'locator' ? value.url : null)
      this.#count(item, value, url?.href ?? found.at ?? serial)
    })
  }

  /** Counts a value once: URLs by what they are, elements by where they stand, the rest one by one. */
  #count({ rule, leaf }: LiveLeaf, value: Value, key: string | number): void {
    const { found } = value
    const hits = this.#hitsOf(rule, leaf)
    if (hits.keys.has(key)) return
    hits.keys.add(key)
    hits.count += found.amount ?? 1
    if (hits.values.length < MAX_VALUES) hits.values.push(value)
    hits.version ??= versionOf(leaf, value)
    if (leaf.positive) this.#lifted.add(rule)
  }

  #hitsOf(rule: CompiledRule, leaf: Leaf): LeafHits {
    let leaves = this.#byRule.get(rule)
    if (leaves === undefined) this.#byRule.set(rule, (leaves = new Map()))
    let hits = leaves.get(leaf.id)
    if (hits === undefined) leaves.set(leaf.id, (hits = { count: 0, values: [], keys: new Set() }))
    return hits
  }
}
