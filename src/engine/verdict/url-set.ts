import type { PageUrl } from '../text/url.ts'

/** Up to this number of URLs, comparing them all is faster than hashing: the text of a URL is hashed only for a set. */
const MAX_COMPARED_URLS = 8

/** Different URLs. Most leaves have one or two. */
export class UrlSet {
  readonly #few: PageUrl[]
  #many: Set<string> | undefined

  constructor(first: PageUrl) {
    this.#few = [first]
  }

  /** Adds a URL. @returns whether it is new */
  add(url: PageUrl): boolean {
    if (this.#many !== undefined) return this.#many.size < this.#many.add(url.href).size
    for (const known of this.#few) if (known === url || known.href === url.href) return false
    this.#few.push(url)
    if (this.#few.length === MAX_COMPARED_URLS) this.#many = new Set(this.#few.map(({ href }) => href))
    return true
  }

  /** The texts of the URLs. */
  list(): readonly string[] {
    return this.#many === undefined ? this.#few.map(({ href }) => href) : [...this.#many]
  }
}
