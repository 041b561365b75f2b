import { parseLocator } from '../rule/locator.ts'
import type { Leaf } from '../rule/types.ts'
import { Automaton } from '../text/automaton.ts'
import { append } from '../text/lists.ts'
import { lower } from '../text/text.ts'
import type { Value } from './leaf-test.ts'
import { LocatorIndex } from './locator-index.ts'

/** A leaf of a rule of a ruleset: `T` is what the engine keeps of it. */
interface Tested {
  readonly leaf: Leaf
}

/** Who is told of leaves that a value may hit. */
export interface Visitor<T> {
  visit(item: T, value: Value): void
}

/**
 * The leaves that share one word, found by what they test: a thousand rules that read one header cost as little as one.
 * What it finds is a superset; the tests decide.
 */
export class TestsIndex<T extends Tested> {
  readonly #plain: T[] = []
  readonly #is = new Map<string, T[]>()
  readonly #has = new Map<string, T[]>()
  readonly #under = new LocatorIndex<T>()
  #automaton: Automaton<T> | undefined
  #located = false
  #viaAttribute: Map<string, TestsIndex<T>> | undefined

  add(item: T): void {
    const { leaf } = item
    if (leaf.attr !== undefined) this.#attribute(leaf.attr).#addTest(item)
    else this.#addTest(item)
  }

  #attribute(name: string): TestsIndex<T> {
    this.#viaAttribute ??= new Map()
    let index = this.#viaAttribute.get(name)
    if (index === undefined) this.#viaAttribute.set(name, (index = new TestsIndex<T>()))
    return index
  }

  #addTest(item: T): void {
    const { is, has, under, match } = item.leaf
    const parts = has ?? requiredPart(match)
    if (is) for (const value of is) append(this.#is, lower(value), item)
    else if (under) {
      this.#located = true
      for (const locator of under) this.#under.add(parseLocator(locator), item)
    } else if (parts?.every((part) => part !== '')) {
      for (const part of parts) append(this.#has, lower(part), item)
      this.#automaton = undefined
    } else this.#plain.push(item)
  }

  /** Tells the visitor each leaf whose tests `value` may pass, and the value they look at. A leaf may come more than once. */
  visit(value: Value, visitor: Visitor<T>): void {
    for (const item of this.#plain) visitor.visit(item, value)
    if (this.#is.size > 0) for (const item of this.#is.get(lower(value.text)) ?? []) visitor.visit(item, value)
    if (this.#has.size > 0) {
      this.#automaton ??= new Automaton(this.#has)
      for (const item of this.#automaton.find(value.text)) visitor.visit(item, value)
    }
    if (this.#located && value.url !== null) for (const item of this.#under.find(value.url)) visitor.visit(item, value)
    if (this.#viaAttribute === undefined) return
    for (const [name, index] of this.#viaAttribute) {
      const through = value.through(name)
      if (through !== null) index.visit(through, visitor)
    }
  }
}

/**
 * Letters that every match of an anchored pattern begins with, for the index alone: `^WordPress(?: …)?` is `WordPress`.
 * undefined when there are fewer than three or a choice at the top makes them optional.
 */
function requiredPart(match: string | undefined): readonly string[] | undefined {
  if (match === undefined || match.includes('|')) return undefined
  const [, plain] = /^\^((?:[\w ,;:'"!@#%&=<>~/-]|\\[.+*?()[\]{}|/$^-])+)/.exec(match) ?? []
  if (plain === undefined) return undefined
  const next = match[plain.length + 1]
  const whole = next !== undefined && '?*+{'.includes(next) ? plain.replace(/\\?.$/, '') : plain
  const letters = whole.replaceAll('\\', '')
  return letters.length < 3 ? undefined : [letters]
}
