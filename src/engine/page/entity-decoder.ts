import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

/**
 * Extracts parts of a document, from front to back, and decodes their entities. The position of the next ampersand shows that
 * most parts contain no entity.
 */
export class EntityDecoder {
  readonly #html: string
  #ampersand = -1

  constructor(html: string) {
    this.#html = html
  }

  decodeText(start: number, end: number): string {
    const text = this.#html.slice(start, end)
    return this.#hasEntity(start, end) ? decodeHTML(text) : text
  }

  decodeAttribute(start: number, end: number): string {
    const value = this.#html.slice(start, end)
    return this.#hasEntity(start, end) ? decodeHTMLAttribute(value) : value
  }

  #hasEntity(start: number, end: number): boolean {
    if (this.#ampersand < start) {
      const next = this.#html.indexOf('&', start)
      this.#ampersand = next < 0 ? this.#html.length : next
    }
    return this.#ampersand < end
  }
}
