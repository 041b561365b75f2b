import type { Detector, Found, Wanted } from '../page/detector.ts'
import type { Page } from '../page/page-types.ts'
import { readLocator } from '../rule/locator.ts'
import type { WordKind } from '../rule/place.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { Beginnings } from '../text/beginnings.ts'
import { cutLine, MAX_VERSION } from '../text/bounds.ts'
import { LiteralIndex } from '../text/literal-index.ts'
import { SparseMap } from '../text/sparse-map.ts'
import { lower } from '../text/text.ts'
import { buildExactWordTest, buildPattern, buildTests, type PageReader, type Test, Value } from './leaf-test.ts'
import { LocatorIndex } from './locator-index.ts'
import { EXACT, SelectorIndex } from './selector-index.ts'
import { TestsIndex, type Visitor } from './tests-index.ts'

/** A leaf with its rule and its tests. */
export class PreparedLeaf {
  readonly rule: CompiledRule
  readonly leaf: Leaf
  // Properties that are read for every hit, copied because leaves and rules have different hidden classes.
  /** Number of hits that the leaf needs. */
  readonly least: number
  readonly isPositive: boolean
  readonly isOfSiteType: boolean
  readonly countsSiblings: boolean
  readonly #kind: WordKind
  readonly #version: number | undefined
  #tests: readonly Test[] | undefined
  #pattern: RegExp | undefined
  /** What the pattern found in the value that was tested last. */
  #match: RegExpExecArray | null = null

  constructor(rule: CompiledRule, leaf: Leaf, kind: WordKind) {
    this.rule = rule
    this.leaf = leaf
    this.least = leaf.atLeast ?? 1
    this.isPositive = leaf.positive
    this.isOfSiteType = rule.typeClauses !== undefined
    this.countsSiblings = leaf.siblingId !== undefined
    this.#version = leaf.version
    this.#kind = kind
  }

  /** Whether a value passes all tests. They are built on first use: on most pages no value reaches most leaves. */
  accepts(value: Value): boolean {
    this.#tests ??= this.#prepareTests()
    for (const test of this.#tests) if (!test(value)) return false
    if (this.#pattern === undefined) return true
    if (this.#version === undefined) return this.#pattern.test(value.text)
    this.#match = this.#pattern.exec(value.text)
    return this.#match !== null
  }

  /** Takes the version from the value that `accepts` has just accepted: one line of at most `MAX_VERSION` characters. */
  takeVersion(): string | undefined {
    if (this.#version === undefined || this.#match === null) return undefined
    const text = this.#match[this.#version]
    this.#match = null // It would keep the text of the page in memory.
    return text && cutLine(text, MAX_VERSION)
  }

  /** Prepares the tests and the pattern. If case matters, the word is tested first. */
  #prepareTests(): readonly Test[] {
    const { leaf } = this
    this.#pattern = buildPattern(leaf)
    const tests = buildTests(leaf)
    return leaf.exact ? [buildExactWordTest(leaf, this.#kind), ...tests] : tests
  }
}

type Entry = TestsIndex<PreparedLeaf>
const NO_ENTRIES: readonly Entry[] = []

/**
 * Maximum number of occurrences of one literal in one text that are tested. The bundle of a site that repeats a word
 * has hundreds.
 */
const MAX_OCCURRENCES = 100

/** Indexes the leaves of one place by word, so that a lookup does not iterate over leaves. */
export class PlaceIndex implements Wanted {
  readonly detector: Detector
  /**
   * The detector's word kind, copied because it is read for every find, and detectors have different hidden classes.
   */
  readonly word: WordKind
  /** Leaves that are not indexed yet: the index is built when the first page has something at the place. */
  readonly #waiting: PreparedLeaf[] = []
  /** Entries by word, in lower case except for selectors. */
  readonly #words = new SparseMap<Entry>()
  /** Entries of words that end in `*`. */
  readonly #beginnings = new Beginnings<Entry>()
  /** Beginnings of paths: `Product` and `Product.offers` for `Product.offers.price`. */
  readonly #pathPrefixes = new Set<string>()
  readonly #locators = new LocatorIndex<Entry>()
  #literals: LiteralIndex<Entry> | undefined
  #selectors: SelectorIndex | undefined

  constructor(detector: Detector) {
    this.detector = detector
    this.word = detector.word
  }

  add(item: PreparedLeaf): void {
    this.#waiting.push(item)
  }

  /** Whether no rule asks for the place. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#words.isEmpty
  }

  /** Entries by word, of all leaves. */
  get words(): SparseMap<Entry> {
    if (this.#waiting.length > 0) for (const item of this.#waiting.splice(0)) this.#index(item)
    return this.#words
  }

  #index(item: PreparedLeaf): void {
    for (const word of new Set(item.leaf.words.map((text) => this.#getKey(text, item.leaf)))) {
      const known = this.#words.get(word)
      const entry = known ?? new TestsIndex<PreparedLeaf>()
      entry.add(item)
      if (known === undefined) this.#addWord(word, entry)
    }
  }

  /** Only the lookup of selectors depends on case: `:not(.x)` may hold where `:not(.X)` does not. */
  #getKey(word: string, { exact }: Leaf): string {
    if (this.word !== 'selector') return lower(word)
    return exact ? EXACT + word : word
  }

  #addWord(word: string, entry: Entry): void {
    this.#words.set(word, entry)
    if (this.word === 'locator') this.#locators.add(readLocator(word), entry)
    if (this.word === 'path')
      for (const [i] of [...word].entries()) if (word[i] === '.') this.#pathPrefixes.add(word.slice(0, i))
    if (this.word === 'name' && word.endsWith('*')) this.#beginnings.add(word.slice(0, -1), entry)
  }

  has(word: string): boolean {
    if (this.words.getPart(word) !== undefined) return true
    if (this.#pathPrefixes.size > 0 && this.#pathPrefixes.has(lower(word))) return true
    return this.#findBeginnings(word).length > 0
  }

  /** One sentence if matching the selectors of the last page exceeded its bound. */
  get warnings(): readonly string[] {
    return this.#selectors?.warnings ?? []
  }

  selectors(page: Page, at: number): readonly string[] {
    this.#selectors ??= new SelectorIndex(this.words.keys())
    return this.#selectors.match(page.tape, at)
  }

  /** Passes each leaf that `found` may hit to the visitor, with the value to test. A leaf can occur more than once. */
  visit(found: Found, reader: PageReader, visitor: Visitor<PreparedLeaf>): void {
    const { words } = this
    const entries = found.url && this.word === 'locator' ? this.#locators.find(found.url) : undefined
    if (entries?.length === 0) return // This holds for most URLs, and saves creating a value.
    const value = new Value(found, reader)
    switch (this.word) {
      case 'locator':
        if (value.url !== null)
          for (const entry of entries ?? this.#locators.find(value.url)) entry.visit(value, visitor)
        break
      case 'literal':
        this.#literals ??= new LiteralIndex(new Map([...words.entries()].map(([word, entry]) => [word, [entry]])))
        if (this.detector.windowCharacters !== undefined)
          this.#visitWindows(this.#literals, found, { reader, visitor, characters: this.detector.windowCharacters })
        else for (const entry of this.#literals.find(value.text)) entry.visit(value, visitor)
        break
      case 'name':
        for (const entry of this.#findBeginnings(found.name)) entry.visit(value, visitor)
        words.getPart(found.name)?.visit(value, visitor)
        break
      case 'selector':
        words.get(found.name)?.visit(value, visitor)
        break
      default:
        words.getPart(found.name)?.visit(value, visitor)
    }
  }

  /** Visits the leaves of each literal once for every occurrence, with the characters around it as the value. */
  #visitWindows(
    literals: LiteralIndex<Entry>,
    found: Found,
    { reader, visitor, characters }: { reader: PageReader; visitor: Visitor<PreparedLeaf>; characters: number },
  ): void {
    const { text = '' } = found
    const visited = new Set<Entry>()
    for (const { items, start, end } of literals.findOccurrences(text, MAX_OCCURRENCES))
      for (const entry of items) {
        if (visited.has(entry) && !entry.dependsOnOccurrence) continue
        visited.add(entry)
        const window = { start, end, from: Math.max(0, start - characters), to: end + characters }
        entry.visit(new Value(found, reader, window), visitor)
      }
  }

  #findBeginnings(name: string): readonly Entry[] {
    if (this.#beginnings.isEmpty) return NO_ENTRIES
    const entries: Entry[] = []
    this.#beginnings.collect(lower(name), 0, name.length, entries)
    return entries
  }
}
