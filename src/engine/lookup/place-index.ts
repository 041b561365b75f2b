import type { Detector, Found, Wanted } from '../page/detector.ts'
import type { Page } from '../page/page-types.ts'
import { readLocator } from '../rule/locator.ts'
import type { WordKind } from '../rule/place.ts'
import type { Leaf } from '../rule/types.ts'
import { Automaton, packAutomaton } from '../text/automaton.ts'
import { Beginnings, BeginningsBuilder } from '../text/beginnings.ts'
import { LiteralIndex } from '../text/literal-index.ts'
import { PackedLists, packLists } from '../text/packed-lists.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import { Sections } from '../text/sections.ts'
import { packSections, unpackSections } from '../text/sections-file.ts'
import { lower } from '../text/text.ts'
import { type PageReader, Value } from './leaf-test.ts'
import { LocatorIndex, LocatorIndexBuilder } from './locator-index.ts'
import { isBareNegation } from './prepared-leaf.ts'
import { EXACT, packSelectors, SelectorIndex } from './selector-index.ts'
import {
  dependsOnOccurrence,
  type LeafReader,
  type LeafVisitor,
  type NumberedLeaf,
  needsAutomaton,
  packTests,
  TestsIndex,
} from './tests-index.ts'

const NO_WORDS: readonly number[] = []

/**
 * Maximum number of occurrences of one literal in one text that are tested. The bundle of a site that repeats a word
 * has hundreds.
 */
const MAX_OCCURRENCES = 100

/** The index of fewer leaves of a word is built when a page has the word, which takes less than finding it in the file. */
const MIN_PACKED_LEAVES = 8

/**
 * The leaves of one place by word, so that a lookup does not iterate over leaves. Words, and where they are found, are typed arrays
 * of the compiled ruleset; leaves are prepared when a page has their word.
 */
export class PlaceIndex implements Wanted {
  readonly detector: Detector
  /**
   * The detector's word kind, copied because it is read for every find, and detectors have different hidden classes.
   */
  readonly word: WordKind
  /** Words in lower case, except selectors. */
  readonly #words: PackedMap
  /** The numbers of the leaves of each word. */
  readonly #leaves: PackedLists
  readonly #getLeaf: LeafReader
  /** The index of the leaves of each word, which the file contains for words with many leaves. */
  readonly #entries: (TestsIndex | undefined)[] = []
  /** Words that end in `*`; null unless words are names. */
  readonly #beginnings: Beginnings | null
  /** Beginnings of paths: `Product` and `Product.offers` for `Product.offers.price`; null unless words are paths. */
  readonly #pathPrefixes: PackedMap | null
  /** null unless words are locators. */
  readonly #locators: LocatorIndex | null
  readonly #sections: Sections
  /** By word, 1 if a leaf can hit at one occurrence of the word and not at another. */
  readonly #occurrences: Uint8Array
  /** The words of selectors that elements had. */
  readonly #wordOfSelector = new Map<string, number>()
  #literals: LiteralIndex | undefined
  #selectors: SelectorIndex | undefined

  constructor(detector: Detector, sections: Sections, getLeaf: LeafReader) {
    this.detector = detector
    this.word = detector.word
    this.#sections = sections
    this.#words = new PackedMap(sections.at('words'))
    this.#leaves = new PackedLists(sections.at('leaves'))
    this.#beginnings = this.word === 'name' ? new Beginnings(sections.at('beginnings')) : null
    this.#pathPrefixes = this.word === 'path' ? new PackedMap(sections.at('pathPrefixes')) : null
    this.#locators = this.word === 'locator' ? new LocatorIndex(sections.at('locators')) : null
    this.#occurrences = sections.bytes('occurrences')
    this.#getLeaf = getLeaf
  }

  /** All words, in the order of the rules. */
  listWords(): string[] {
    return this.#words.listKeys()
  }

  has(word: string): boolean {
    if (this.#words.find(word) >= 0) return true
    return (this.#pathPrefixes?.find(word) ?? -1) >= 0 || this.#findBeginnings(word).length > 0
  }

  /** One sentence if matching the selectors of the last page exceeded its bound. */
  get warnings(): readonly string[] {
    return this.#selectors?.warnings ?? []
  }

  selectors(page: Page, at: number): readonly string[] {
    return this.#openSelectors().match(page.tape, at)
  }

  #openSelectors(): SelectorIndex {
    this.#selectors ??= new SelectorIndex(this.#sections.at('selectors'), (word) => this.#words.getKey(word))
    return this.#selectors
  }

  /** Finds the first elements of a page that any of some selectors matches, for leaves that the index leaves alone. */
  findElements(page: Page, selectors: readonly string[], most: number): readonly number[] {
    return this.#openSelectors().find(page.tape, selectors, most)
  }

  /** Passes each leaf that `found` may hit to the visitor, with the value to test. A leaf can occur more than once. */
  visit(found: Found, reader: PageReader, visitor: LeafVisitor): void {
    const words = found.url ? this.#locators?.find(found.url) : undefined
    if (words?.length === 0) return // This holds for most URLs, and saves creating a value.
    switch (this.word) {
      case 'locator': {
        const value = new Value(found, reader)
        if (value.url !== null)
          for (const word of words ?? this.#locators?.find(value.url) ?? NO_WORDS)
            this.#getEntry(word).visit(value, visitor)
        break
      }
      case 'literal':
        this.#visitLiterals(found, reader, visitor)
        break
      case 'name': {
        const value = new Value(found, reader)
        for (const word of this.#findBeginnings(found.name)) this.#getEntry(word).visit(value, visitor)
        this.#visitWord(this.#words.find(found.name), value, visitor)
        break
      }
      case 'selector':
        this.#visitWord(this.#findSelector(found.name), new Value(found, reader), visitor)
        break
      default: {
        const word = this.#words.find(found.name)
        if (word >= 0) this.#getEntry(word).visit(new Value(found, reader), visitor)
      }
    }
  }

  /** The index of selectors returns the same string for each element, so its hash is known. */
  #findSelector(selector: string): number {
    let word = this.#wordOfSelector.get(selector)
    if (word === undefined) this.#wordOfSelector.set(selector, (word = this.#words.findExact(selector)))
    return word
  }

  #visitWord(word: number, value: Value, visitor: LeafVisitor): void {
    if (word >= 0) this.#getEntry(word).visit(value, visitor)
  }

  #getEntry(word: number): TestsIndex {
    let entry = this.#entries[word]
    if (entry === undefined) {
      const packed = `tests${word}`
      this.#entries[word] = entry = this.#sections.has(packed)
        ? new TestsIndex(unpackSections(this.#sections.bytes(packed)), this.#getLeaf)
        : TestsIndex.of(this.#listLeaves(word), this.#getLeaf)
    }
    return entry
  }

  #listLeaves(word: number): NumberedLeaf[] {
    return Array.from(this.#leaves.get(word), (number) => ({ number, leaf: this.#getLeaf(number).leaf }))
  }

  #visitLiterals(found: Found, reader: PageReader, visitor: LeafVisitor): void {
    this.#literals ??= new LiteralIndex(new Automaton(this.#sections.at('literals')), () => this.listWords())
    const { windowCharacters } = this.detector
    if (windowCharacters !== undefined) {
      this.#visitWindows(this.#literals, found, { reader, visitor, characters: windowCharacters })
      return
    }
    const value = new Value(found, reader)
    for (const word of this.#literals.find(value.text)) this.#getEntry(word).visit(value, visitor)
  }

  /** Visits the leaves of each literal once for every occurrence, with the characters around it as the value. */
  #visitWindows(
    literals: LiteralIndex,
    found: Found,
    { reader, visitor, characters }: { reader: PageReader; visitor: LeafVisitor; characters: number },
  ): void {
    const { text = '' } = found
    const visited = new Set<number>()
    for (const { literal, start, end } of literals.findOccurrences(text, MAX_OCCURRENCES)) {
      const entry = this.#getEntry(literal)
      if (visited.has(literal) && this.#occurrences[literal] === 0) continue
      visited.add(literal)
      const window = { start, end, from: Math.max(0, start - characters), to: end + characters }
      entry.visit(new Value(found, reader, window), visitor)
    }
  }

  #findBeginnings(name: string): readonly number[] {
    if (this.#beginnings === null || this.#beginnings.isEmpty) return NO_WORDS
    const found: number[] = []
    this.#beginnings.collect(lower(name), { from: 0, to: name.length, scope: 0 }, found)
    return found
  }
}

/** Packs the leaves of one place, each with its number, for a `PlaceIndex`. It leaves those alone that are counted on demand. */
export function packPlace(
  { word: kind, isAmount = false }: Pick<Detector, 'word' | 'isAmount'>,
  leaves: readonly NumberedLeaf[],
  into: Sections,
): void {
  const words = new PackedMapBuilder()
  const ofWord: NumberedLeaf[][] = []
  for (const one of leaves)
    for (const text of new Set(one.leaf.words.map((word) => getKey(kind, word, one.leaf)))) {
      const word = words.add(text)
      ofWord[word] ??= []
      if (!isCountedOnDemand(one.leaf, { kind, isAmount })) ofWord[word].push(one)
    }
  words.pack(into.at('words'))
  packLists(
    ofWord.map((all) => all.map(({ number }) => number)),
    into.at('leaves'),
  )
  into.put(
    'occurrences',
    Uint8Array.from(ofWord, (all) => (all.some(({ leaf }) => dependsOnOccurrence(leaf)) ? 1 : 0)),
  )
  for (const [word, all] of ofWord.entries()) {
    if (all.length < MIN_PACKED_LEAVES && !needsAutomaton(all)) continue
    const tests = new Sections()
    packTests(all, tests)
    into.put(`tests${word}`, packSections(tests))
  }
  packWords(kind, words.keys, into)
  if (kind === 'selector')
    packSelectors(new Map([...words.keys.entries()].filter(([word]) => ofWord[word].length > 0)), into.at('selectors'))
}

/**
 * Whether the hits of a leaf are counted when a clause asks for them. Many rules bound the size of a page, or ask that it lacks common
 * elements, with a `not`, and few of these rules have another hit on a page.
 */
function isCountedOnDemand(
  leaf: Leaf,
  { kind, isAmount }: { readonly kind: WordKind; readonly isAmount: boolean },
): boolean {
  return (isAmount || kind === 'selector') && isBareNegation(leaf)
}

/** Only the lookup of selectors depends on case: `:not(.x)` may hold where `:not(.X)` does not. */
function getKey(kind: WordKind, word: string, { exact }: Leaf): string {
  if (kind !== 'selector') return lower(word)
  return exact ? EXACT + word : word
}

/** Packs what finds the words of a place. */
function packWords(kind: WordKind, words: readonly string[], into: Sections): void {
  const beginnings = new BeginningsBuilder()
  const pathPrefixes = new PackedMapBuilder()
  const locators = new LocatorIndexBuilder()
  for (const [number, word] of words.entries()) {
    if (kind === 'locator') locators.add(readLocator(word), number)
    if (kind === 'name' && word.endsWith('*')) beginnings.add(word.slice(0, -1), number)
    if (kind === 'path') for (let i = 0; i < word.length; i++) if (word[i] === '.') pathPrefixes.add(word.slice(0, i))
  }
  if (kind === 'name') beginnings.pack(into.at('beginnings'))
  if (kind === 'path') pathPrefixes.pack(into.at('pathPrefixes'))
  if (kind === 'locator') locators.pack(into.at('locators'))
  if (kind === 'literal') packAutomaton(words, into.at('literals'))
}
