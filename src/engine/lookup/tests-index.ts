import { readLocator } from '../rule/locator.ts'
import type { Leaf } from '../rule/types.ts'
import { Automaton, packAutomaton } from '../text/automaton.ts'
import { append } from '../text/lists.ts'
import { PackedLists, packLists } from '../text/packed-lists.ts'
import { PackedMap, PackedMapBuilder } from '../text/packed-map.ts'
import { Sections } from '../text/sections.ts'
import { lower } from '../text/text.ts'
import type { Value } from './leaf-test.ts'
import { LocatorIndex, LocatorIndexBuilder } from './locator-index.ts'
import type { PreparedLeaf } from './prepared-leaf.ts'
import { findRequiredPart } from './required-part.ts'

/** Receives the leaves that a value may hit. */
export interface LeafVisitor {
  visit(item: PreparedLeaf, value: Value): void
}

/** A leaf with its number in the ruleset. */
export interface NumberedLeaf {
  readonly leaf: Leaf
  readonly number: number
}

/** Returns a leaf by its number. */
export type LeafReader = (number: number) => PreparedLeaf

/** From this number of patterns on, finding the parts that they require in one pass is faster than testing each pattern. */
const MIN_INDEXED_PATTERNS = 4

/**
 * Finds leaves that share one word by their tests, so that a thousand rules about one header cost as little as one. The index
 * finds a superset of the hits; the tests decide. Leaves whose tests a value cannot pass are not even decoded.
 */
export class TestsIndex {
  readonly #getLeaf: LeafReader
  readonly #plain: Uint32Array
  /** Leaves by a whole value, by a part of a value, and by a locator that they ask for. */
  readonly #is: Lookup<PackedMap> | null
  readonly #has: Lookup<Automaton> | null
  readonly #under: Lookup<LocatorIndex> | null
  /** The attributes whose value leaves test, and their indexes. */
  readonly #attributes: readonly (readonly [name: string, index: TestsIndex])[]

  constructor(sections: Sections, getLeaf: LeafReader) {
    this.#getLeaf = getLeaf
    this.#plain = sections.words('plain')
    this.#is = openLookup(sections, 'is', PackedMap)
    this.#has = openLookup(sections, 'has', Automaton)
    this.#under = openLookup(sections, 'under', LocatorIndex)
    const names = sections.has('attributes.slots') ? new PackedMap(sections.at('attributes')) : null
    this.#attributes = Array.from({ length: names?.count ?? 0 }, (_, i) => {
      return [names?.getKey(i) ?? '', new TestsIndex(sections.at(`attribute${i}`), getLeaf)] as const
    })
  }

  /** Builds the index of some leaves. */
  static of(leaves: readonly NumberedLeaf[], getLeaf: LeafReader): TestsIndex {
    const sections = new Sections()
    packTests(leaves, sections)
    return new TestsIndex(sections, getLeaf)
  }

  /** Passes each leaf whose tests `value` may pass to the visitor, with the tested value. A leaf can occur more than once. */
  visit(value: Value, visitor: LeafVisitor): void {
    const plain = this.#plain
    for (let i = 0; i < plain.length; i++) visitor.visit(this.#getLeaf(plain[i]), value)
    if (this.#is !== null) {
      const found = this.#is.index.find(value.text)
      if (found >= 0) this.#visitList(this.#is.leaves, found, value, visitor)
    }
    if (this.#has !== null)
      for (const part of this.#has.index.find(value.text)) this.#visitList(this.#has.leaves, part, value, visitor)
    if (this.#under !== null && value.url !== null)
      for (const locator of this.#under.index.find(value.url))
        this.#visitList(this.#under.leaves, locator, value, visitor)
    for (const [name, index] of this.#attributes) {
      const attribute = value.readAttribute(name)
      if (attribute !== null) index.visit(attribute, visitor)
    }
  }

  #visitList({ starts, items }: PackedLists, list: number, value: Value, visitor: LeafVisitor): void {
    for (let i = starts[list]; i < starts[list + 1]; i++) visitor.visit(this.#getLeaf(items[i]), value)
  }
}

/** What finds texts by number, and the leaves of each text. */
interface Lookup<Index> {
  readonly index: Index
  readonly leaves: PackedLists
}

function openLookup<Index>(
  sections: Sections,
  name: string,
  Type: new (sections: Sections) => Index,
): Lookup<Index> | null {
  if (!sections.has(`${name}.leaves.starts`)) return null
  return { index: new Type(sections.at(name)), leaves: new PackedLists(sections.at(`${name}.leaves`)) }
}

/** Whether some of the leaves of a word can hit at one occurrence of it and not at another. */
export function dependsOnOccurrence({ has, match, is, under, exact }: Leaf): boolean {
  return Boolean(has || match !== undefined || is || under || exact)
}

/** Packs the leaves of one word for a `TestsIndex`. */
export function packTests(leaves: readonly NumberedLeaf[], into: Sections): void {
  const byAttribute = new Map<string, NumberedLeaf[]>()
  const own: NumberedLeaf[] = []
  for (const one of leaves)
    if (one.leaf.attr === undefined) own.push(one)
    else append(byAttribute, one.leaf.attr, one)
  packOwnTests(own, into)
  if (byAttribute.size === 0) return
  const names = new PackedMapBuilder()
  for (const [name, ofAttribute] of byAttribute) packOwnTests(ofAttribute, into.at(`attribute${names.add(name)}`))
  names.pack(into.at('attributes'))
}

/** Packs leaves that test the value itself. */
function packOwnTests(leaves: readonly NumberedLeaf[], into: Sections): void {
  const plain: number[] = []
  const is = new Map<string, number[]>()
  const has = new Map<string, number[]>()
  const under = new Map<string, number[]>()
  const isIndexed = needsAutomaton(leaves)
  for (const { leaf, number } of leaves) {
    const parts = leaf.has ?? findRequiredParts(leaf)
    if (leaf.is) for (const value of new Set(leaf.is.map(lower))) append(is, value, number)
    else if (leaf.under) for (const locator of new Set(leaf.under)) append(under, locator, number)
    else if (parts?.every((one) => one !== '')) for (const part of new Set(parts.map(lower))) append(has, part, number)
    else plain.push(number)
  }
  if (!isIndexed) for (const number of [...has.values()].flat()) plain.push(number)
  into.put('plain', Uint32Array.from(plain))
  if (is.size > 0) {
    const values = new PackedMapBuilder()
    for (const value of is.keys()) values.add(value)
    values.pack(into.at('is'))
    packLists([...is.values()], into.at('is.leaves'))
  }
  if (isIndexed) {
    packAutomaton([...has.keys()], into.at('has'))
    packLists([...has.values()], into.at('has.leaves'))
  }
  if (under.size > 0) {
    const locators = new LocatorIndexBuilder()
    for (const [i, locator] of [...under.keys()].entries()) locators.add(readLocator(locator), i)
    locators.pack(into.at('under'))
    packLists([...under.values()], into.at('under.leaves'))
  }
}

/** Whether the parts of values that leaves ask for are found in one pass. */
export function needsAutomaton(leaves: readonly NumberedLeaf[]): boolean {
  const own = leaves.filter(({ leaf }) => !leaf.is && !leaf.under)
  const patterns = own.filter(({ leaf }) => !leaf.has && findRequiredParts(leaf) !== undefined)
  return own.some(({ leaf }) => leaf.has?.every((one) => one !== '')) || patterns.length >= MIN_INDEXED_PATTERNS
}

/** The part that a pattern requires; undefined for a leaf without a pattern, or if there is none. */
function findRequiredParts({ match }: Leaf): readonly string[] | undefined {
  const part = match === undefined ? undefined : findRequiredPart(match)
  return part === undefined ? undefined : [part]
}
