import type { Found } from '../page/detector.ts'
import { readAttribute, readText } from '../page/element.ts'
import type { Page } from '../page/page-types.ts'
import { matchLocator, parseLocator } from '../rule/locator.ts'
import type { WordKind } from '../rule/place.ts'
import type { Leaf } from '../rule/types.ts'
import { cutLine, cutText, MAX_VERSION } from '../text/bounds.ts'
import { collapse, lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'
import { readUrlOrHost, UrlResolver } from '../text/url.ts'

/** Characters of elements' texts that are read for one page: elements nest, and each holds the text of all in it. */
const MAX_ELEMENT_TEXT = 8 * 1024 * 1024

/** Reads texts and URLs of one page for its values, and stops where a page would cost too much. */
export class PageReader {
  readonly page: Page
  readonly resolver: UrlResolver
  #characters = 0

  constructor(page: Page) {
    this.page = page
    this.resolver = new UrlResolver(page.base)
  }

  /** One sentence for each bound that the page reached. */
  get warnings(): string[] {
    const texts =
      this.#characters < MAX_ELEMENT_TEXT ? [] : [`texts of elements were read up to ${MAX_ELEMENT_TEXT} characters`]
    return [...texts, ...this.resolver.warnings]
  }

  /** Text of an element with white space collapsed; '' beyond the bound. */
  readText(at: number): string {
    if (this.#characters >= MAX_ELEMENT_TEXT) return ''
    const text = readText(this.page.tape, at)
    this.#characters += text.length
    return collapse(text)
  }
}

/** One value that a leaf may hold on; what it takes to read it is done once, and only when asked for. */
export class Value {
  readonly found: Found
  readonly #reader: PageReader
  #text: string | undefined
  #url: PageUrl | null | undefined

  constructor(found: Found, reader: PageReader) {
    this.found = found
    this.#reader = reader
  }

  /** The text that tests look at: what was found, or the text of the element. */
  get text(): string {
    if (this.#text !== undefined) return this.#text
    const { text, at = -1 } = this.found
    this.#text = text ?? this.#reader.readText(at)
    return this.#text
  }

  /** The beginning of the text, for people. */
  excerpt(characters: number): string {
    const { text, at = -1 } = this.found
    if (text !== undefined) return cutText(text, characters)
    const { tape } = this.#reader.page
    return cutText(collapse(readText(tape, at, 4 * characters).slice(0, 4 * characters)), characters)
  }

  /** The text as a URL or host. */
  get url(): PageUrl | null {
    if (this.#url === undefined) this.#url = this.found.url ?? readUrlOrHost(this.text, this.#reader.resolver, false)
    return this.#url
  }

  /** The same find, seen through an attribute of its element; null when it has none of that name. */
  through(attribute: string): Value | null {
    const { name, at = -1 } = this.found
    const text = readAttribute(this.#reader.page.tape, at, attribute)
    if (text === undefined) return null
    const value = new Value({ name, text: text.trim(), at }, this.#reader)
    value.#url = readUrlOrHost(text, this.#reader.resolver, true)
    return value
  }
}

/** What a value has to show; all of it on one and the same value. */
export type Test = (value: Value) => boolean

/** The tests of a leaf beyond its word, made once. */
export function buildTests(leaf: Leaf): Test[] {
  const fold = leaf.exact ? (text: string) => text : lower
  const tests: Test[] = []
  if (leaf.is) {
    const values = new Set(leaf.is.map(fold))
    tests.push((value) => values.has(fold(value.text)))
  }
  if (leaf.has) {
    const parts = leaf.has.map(fold)
    tests.push((value) => {
      const text = fold(value.text)
      return parts.some((part) => text.includes(part))
    })
  }
  if (leaf.under) {
    const locators = leaf.under.map(parseLocator)
    tests.push(({ url }) => url !== null && locators.some((locator) => matchLocator(locator, url, leaf.exact)))
  }
  if (leaf.from) tests.push(({ url }) => url !== null && url.own === (leaf.from === 'own'))
  if (leaf.match) {
    const pattern = new RegExp(leaf.match, leaf.exact ? '' : 'i')
    tests.push((value) => pattern.test(value.text))
  }
  return tests
}

/** Whether a word stands there letter by letter: what the index finds ignores case. */
export function buildExactWord({ words }: Leaf, kind: WordKind): Test {
  if (kind === 'literal') return (value) => words.some((word) => value.text.includes(word))
  if (kind === 'locator') {
    const locators = words.map(parseLocator)
    return ({ url }) => url !== null && locators.some((locator) => matchLocator(locator, url, true))
  }
  if (kind === 'selector') return () => true // Its look-up is exact already.
  return ({ found: { name } }) =>
    words.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word))
}

/** The version that a value shows a leaf: one line of at most `MAX_VERSION` characters. */
export function extractVersion(leaf: Leaf, value: Value): string | undefined {
  if (leaf.match === undefined || leaf.version === undefined) return undefined
  const version = new RegExp(leaf.match, leaf.exact ? '' : 'i').exec(value.text)?.[leaf.version]
  return version && cutLine(version, MAX_VERSION)
}
