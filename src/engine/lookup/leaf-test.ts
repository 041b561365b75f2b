import type { Found } from '../page/detector.ts'
import { readAttribute, readText } from '../page/element.ts'
import type { Page } from '../page/page-types.ts'
import { matchLocator, readLocator } from '../rule/locator.ts'
import type { WordKind } from '../rule/place.ts'
import type { Leaf } from '../rule/types.ts'
import { cutText } from '../text/bounds.ts'
import { collapse, lower } from '../text/text.ts'
import type { PageUrl } from '../text/url.ts'
import { readUrlOrHost, UrlResolver } from '../text/url.ts'

/**
 * Maximum number of characters of element texts that are read for one page. Elements nest, and each contains the text
 * of all its descendants.
 */
const MAX_ELEMENT_TEXT_CHARACTERS = 8 * 1024 * 1024

/** Reads element texts and resolves URLs of one page, within bounds on their total cost. */
export class PageReader {
  readonly page: Page
  #resolver: UrlResolver | undefined
  #characters = 0

  constructor(page: Page) {
    this.page = page
  }

  /** Created on first use: on most pages only the page's own URLs are tested, which are resolved already. */
  get resolver(): UrlResolver {
    this.#resolver ??= new UrlResolver(this.page.base)
    return this.#resolver
  }

  /** One sentence for each bound that the page exceeded. */
  get warnings(): string[] {
    const isCut = this.#characters >= MAX_ELEMENT_TEXT_CHARACTERS
    const texts = isCut ? [`element texts were read up to ${MAX_ELEMENT_TEXT_CHARACTERS} characters`] : []
    return [...texts, ...(this.#resolver?.warnings ?? [])]
  }

  /** Reads the text of an element with white space collapsed; '' beyond the bound. */
  readText(at: number): string {
    if (this.#characters >= MAX_ELEMENT_TEXT_CHARACTERS) return ''
    const text = readText(this.page.tape, at)
    this.#characters += text.length
    return collapse(text)
  }
}

/**
 * An occurrence of a literal in a text, and the bounds of the part of the text that tests see: offsets in characters.
 */
export interface Window {
  readonly start: number
  readonly end: number
  readonly from: number
  readonly to: number
}

/** Maximum number of characters that the evidence shows around a literal, and of the URL of its text. */
const MAX_CONTEXT_CHARACTERS = 80
const MAX_SHOWN_URL_CHARACTERS = 100

/** One value that leaves are tested against. Its text and URL are read on first access. */
export class Value {
  readonly found: Found
  readonly #reader: PageReader
  readonly #window: Window | undefined
  /** Whether the text is the value of an attribute, which is never a host name alone. */
  readonly #isAttribute: boolean
  #text: string | undefined
  #url: PageUrl | null | undefined

  /** @param window the part of the text that is tested; by default the whole text */
  constructor(found: Found, reader: PageReader, window?: Window, isAttribute = false) {
    this.found = found
    this.#reader = reader
    this.#window = window
    this.#isAttribute = isAttribute
  }

  /** The text that is tested: the text that was found or its window, or the text of the element. */
  get text(): string {
    if (this.#text !== undefined) return this.#text
    const { text, at = -1 } = this.found
    this.#text = text === undefined ? this.#reader.readText(at) : text.slice(this.#window?.from, this.#window?.to)
    return this.#text
  }

  /** Whether the word is in the text with exactly this case; in a window, at the occurrence that it is built around. */
  containsExactly(word: string): boolean {
    return this.#window === undefined
      ? this.text.includes(word)
      : this.text.startsWith(word, this.#window.start - this.#window.from)
  }

  /** Reads the beginning of the text, for the evidence. */
  readExcerpt(characters: number): string {
    const { text, at = -1 } = this.found
    if (text !== undefined && this.#window) return this.#readContext(text, this.#window, characters)
    if (text !== undefined) return cutText(text, characters)
    const { tape } = this.#reader.page
    return cutText(collapse(readText(tape, at, 4 * characters).slice(0, 4 * characters)), characters)
  }

  /** Reads the URL of the text, and the literal with the characters around it. */
  #readContext(text: string, { start, end }: Window, characters: number): string {
    const { href } = this.found.url ?? { href: '' }
    const url = href.length > MAX_SHOWN_URL_CHARACTERS ? `…${href.slice(1 - MAX_SHOWN_URL_CHARACTERS)}` : href
    const room = characters - url.length - ': '.length
    const side = Math.max(0, Math.min(MAX_CONTEXT_CHARACTERS, room - (end - start)) >> 1)
    const context = text.slice(Math.max(0, start - side), end + side).replace(/^[\udc00-\udfff]/, '')
    return `${url}: ${cutText(context, room)}`
  }

  /** The text as a URL or host name; null if it is neither. */
  get url(): PageUrl | null {
    if (this.#url === undefined)
      this.#url = this.found.url ?? readUrlOrHost(this.text, this.#reader.resolver, this.#isAttribute)
    return this.#url
  }

  /** Returns an attribute of the element as a value; null if the element does not have that attribute. */
  readAttribute(attribute: string): Value | null {
    const { name, at = -1 } = this.found
    const text = readAttribute(this.#reader.page.tape, at, attribute)
    if (text === undefined) return null
    return new Value({ name, text: text.trim(), at }, this.#reader, undefined, true)
  }
}

/** A condition on a value. A leaf hits when one value passes all of its tests. */
export type Test = (value: Value) => boolean

/** Builds the tests of a leaf, without its word and its pattern. */
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
    const locators = leaf.under.map(readLocator)
    tests.push(({ url }) => url !== null && locators.some((locator) => matchLocator(locator, url, leaf.exact)))
  }
  if (leaf.from) tests.push(({ url }) => url !== null && url.own === (leaf.from === 'own'))
  return tests
}

/** Builds the pattern of a leaf; undefined if it has none. */
export function buildPattern({ match, exact }: Leaf): RegExp | undefined {
  return match === undefined ? undefined : new RegExp(match, exact ? '' : 'i')
}

/** Builds the test that compares the word with its case, because the lookup ignores case. */
export function buildExactWordTest({ words }: Leaf, kind: WordKind): Test {
  if (kind === 'literal') return (value) => words.some((word) => value.containsExactly(word))
  if (kind === 'locator') {
    const locators = words.map(readLocator)
    return ({ url }) => url !== null && locators.some((locator) => matchLocator(locator, url, true))
  }
  if (kind === 'selector') return () => true // The lookup of selectors already respects case.
  return ({ found: { name } }) =>
    words.some((word) => (word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : name === word))
}
