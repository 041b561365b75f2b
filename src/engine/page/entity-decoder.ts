import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'

/** Cuts texts out of a document, from front to back, and decodes their entities; where the next ampersand stands tells that most have none. */
export class EntityDecoder {
  readonly #html: string
  #ampersand = -1

  constructor(html: string) {
    this.#html = html
  }

  text(start: number, end: number): string {
    const text = this.#html.slice(start, end)
    return this.#hasEntity(start, end) ? decodeHTML(text) : text
  }

  attribute(start: number, end: number): string {
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
