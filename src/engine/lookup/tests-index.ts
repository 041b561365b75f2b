import { readLocator } from '../rule/locator.ts'
import type { Leaf } from '../rule/types.ts'
import { Automaton } from '../text/automaton.ts'
import { append } from '../text/lists.ts'
import { lower } from '../text/text.ts'
import type { Value } from './leaf-test.ts'
import { LocatorIndex } from './locator-index.ts'

/** Anything with a leaf whose tests can be indexed. */
interface Tested {
  readonly leaf: Leaf
}

/** Receives the leaves that a value may hit. */
export interface Visitor<T> {
  visit(item: T, value: Value): void
}

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
    const parts = has ?? findRequiredPrefix(match)
    if (is) {
      this.#is ??= new Map()
      for (const value of is) append(this.#is, lower(value), item)
    } else if (under) {
      this.#under ??= new LocatorIndex()
      for (const locator of under) this.#under.add(readLocator(locator), item)
    } else if (parts?.every((part) => part !== '')) {
      this.#has ??= new Map()
      for (const part of parts) append(this.#has, lower(part), item)
      this.#automaton = undefined
    } else this.#plain.push(item)
  }

  /** Passes each leaf whose tests `value` may pass to the visitor, with the tested value. A leaf can occur more than once. */
  visit(value: Value, visitor: Visitor<T>): void {
    const plain = this.#plain
    for (let i = 0; i < plain.length; i++) visitor.visit(plain[i], value)
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

/**
 * Finds the literal prefix of an anchored pattern, for the index only: `WordPress` for `^WordPress(?: …)?`. undefined if the
 * prefix has fewer than three characters or the pattern contains alternatives.
 */
function findRequiredPrefix(match: string | undefined): readonly string[] | undefined {
  if (match === undefined || match.includes('|')) return undefined
  const [, plain] = /^\^((?:[\w ,;:'"!@#%&=<>~/-]|\\[.+*?()[\]{}|/$^-])+)/.exec(match) ?? []
  if (plain === undefined) return undefined
  const next = match[plain.length + 1]
  const whole = next !== undefined && '?*+{'.includes(next) ? plain.replace(/\\?.$/, '') : plain
  const letters = whole.replaceAll('\\', '')
  return letters.length < 3 ? undefined : [letters]
}
