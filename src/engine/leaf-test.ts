import { matchLocator, parseLocator } from './locator.ts'
import { attributeOf, textOf } from './selector.ts'
import { collapse, lower } from './text.ts'
import type { Found, Leaf, Page, PageUrl, WordKind } from './types.ts'
import { readUrlOrHost, type UrlResolver } from './url.ts'

/** One value that a leaf may hold on; what it takes to read it is done once, and only when asked for. */
export class Value {
  readonly found: Found
  readonly page: Page
  readonly #resolver: UrlResolver
  #text: string | undefined
  #url: PageUrl | null | undefined

  constructor(found: Found, page: Page, resolver: UrlResolver) {
    this.found = found
    this.page = page
    this.#resolver = resolver
  }

  /** The text that tests look at: what was found, or the text of the element. */
  get text(): string {
    if (this.#text !== undefined) return this.#text
    const { tape } = this.page
    const { text, at = -1 } = this.found
    this.#text = text ?? collapse(textOf(tape, at))
    return this.#text
  }

  /** The beginning of the text, for people. */
  excerpt(characters: number): string {
    const { text, at = -1 } = this.found
    if (text !== undefined) return text.slice(0, characters)
    const { tape } = this.page
    return collapse(textOf(tape, at, 4 * characters).slice(0, 4 * characters)).slice(0, characters)
  }

  /** The text as a URL or host. */
  get url(): PageUrl | null {
    if (this.#url === undefined) this.#url = this.found.url ?? readUrlOrHost(this.text, this.#resolver, false)
    return this.#url
  }

  /** The same find, seen through an attribute of its element; null when it has none of that name. */
  through(attribute: string): Value | null {
    const { name, at = -1 } = this.found
    const text = attributeOf(this.page.tape, at, attribute)
    if (text === undefined) return null
    const value = new Value({ name, text: text.trim(), at }, this.page, this.#resolver)
    value.#url = readUrlOrHost(text, this.#resolver, true)
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

/** The version that a value shows a leaf. */
export function versionOf(leaf: Leaf, value: Value): string | undefined {
  if (leaf.match === undefined || leaf.version === undefined) return undefined
  return new RegExp(leaf.match, leaf.exact ? '' : 'i').exec(value.text)?.[leaf.version]
}
