import { readLocator } from '../rule/locator.ts'
import type { Leaf } from '../rule/types.ts'
import { Automaton } from '../text/automaton.ts'
import { append } from '../text/lists.ts'
import { lower } from '../text/text.ts'
import type { Value } from './leaf-test.ts'
import { LocatorIndex } from './locator-index.ts'
import { findRequiredPart } from './required-part.ts'

/** Anything with a leaf whose tests can be indexed. */
interface Tested {
  readonly leaf: Leaf
}

/** Receives the leaves that a value may hit. */
export interface Visitor<T> {
  visit(item: T, value: Value): void
}

/** From this number of patterns on, finding the parts that they require in one pass is faster than testing each pattern. */
const MIN_INDEXED_PATTERNS = 4

/**
 * Finds leaves that share one word by their tests, so that a thousand rules about one header cost as little as one. The index
 * finds a superset of the hits; the tests decide.
 */
export class TestsIndex<T extends Tested> {
  readonly #plain: T[] = []
  // Most words have leaves of only one kind, and a ruleset has thousands of words: the parts are created when they are
  // needed.
  #is: Map<string, T[]> | undefined
  #has: Map<string, T[]> | undefined
  /** Leaves whose pattern requires a part, while they are few. */
  #patterns: { readonly part: string; readonly item: T }[] | undefined
  #under: LocatorIndex<T> | undefined
  #automaton: Automaton<T> | undefined
  #byAttribute: Map<string, TestsIndex<T>> | undefined
  /** Whether a leaf can hit at one occurrence of its word and not at another. */
  dependsOnOccurrence = false

  add(item: T): void {
    const { leaf } = item
    if (leaf.has || leaf.match !== undefined || leaf.is || leaf.under || leaf.exact) this.dependsOnOccurrence = true
    if (leaf.attr !== undefined) this.#getAttributeIndex(leaf.attr).#addTest(item)
    else this.#addTest(item)
  }

  #getAttributeIndex(name: string): TestsIndex<T> {
    this.#byAttribute ??= new Map()
    let index = this.#byAttribute.get(name)
    if (index === undefined) this.#byAttribute.set(name, (index = new TestsIndex<T>()))
    return index
  }

  #addTest(item: T): void {
    const { is, has, under, match } = item.leaf
    if (is) {
      this.#is ??= new Map()
      for (const value of is) append(this.#is, lower(value), item)
    } else if (under) {
      this.#under ??= new LocatorIndex()
      for (const locator of under) this.#under.add(readLocator(locator), item)
    } else if (has?.every((one) => one !== '')) for (const one of has) this.#addPart(one, item)
    else if (has || match === undefined) this.#plain.push(item)
    else this.#addPattern(match, item)
  }

  #addPart(part: string, item: T): void {
    this.#has ??= new Map()
    append(this.#has, lower(part), item)
    this.#automaton = undefined
  }

  #addPattern(match: string, item: T): void {
    const part = findRequiredPart(match)
    if (part === undefined) {
      this.#plain.push(item)
      return
    }
    this.#patterns ??= []
    this.#patterns.push({ part, item })
    if (this.#has === undefined && this.#patterns.length < MIN_INDEXED_PATTERNS) return
    for (const pattern of this.#patterns.splice(0)) this.#addPart(pattern.part, pattern.item)
  }

  /** Passes each leaf whose tests `value` may pass to the visitor, with the tested value. A leaf can occur more than once. */
  visit(value: Value, visitor: Visitor<T>): void {
    const plain = this.#plain
    for (let i = 0; i < plain.length; i++) visitor.visit(plain[i], value)
    const patterns = this.#patterns
    if (patterns !== undefined) for (let i = 0; i < patterns.length; i++) visitor.visit(patterns[i].item, value)
    if (this.#is !== undefined) for (const item of this.#is.get(lower(value.text)) ?? []) visitor.visit(item, value)
    if (this.#has !== undefined) {
      this.#automaton ??= new Automaton(this.#has)
      for (const item of this.#automaton.find(value.text)) visitor.visit(item, value)
    }
    if (this.#under !== undefined && value.url !== null)
      for (const item of this.#under.find(value.url)) visitor.visit(item, value)
    if (this.#byAttribute === undefined) return
    for (const [name, index] of this.#byAttribute) {
      const attribute = value.readAttribute(name)
      if (attribute !== null) index.visit(attribute, visitor)
    }
  }
}
