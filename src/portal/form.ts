/** Reads the fields of a form or of a query. A field that was not sent is an empty text. */
export class FormReader {
  readonly #fields: URLSearchParams

  constructor(fields: URLSearchParams) {
    this.#fields = fields
  }

  /** The text of a field without surrounding white space. */
  text(name: string): string {
    return this.secret(name).trim()
  }

  /** The text of a field exactly as it was entered. For passwords. */
  secret(name: string): string {
    return this.#fields.get(name) ?? ''
  }

  /** Whether a field was sent. For check boxes and for buttons with a name. */
  has(name: string): boolean {
    return this.#fields.has(name)
  }
}
