import type { TestBrowser } from './portal-fixture.ts'

/** The response to a person's browser. */
export interface PageAnswer {
  readonly status: number
  /** Path of a redirect; null without one. */
  readonly location: string | null
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

/** A person with a browser. */
export class Person {
  readonly #browser: TestBrowser
  readonly #userAgent: string

  constructor(browser: TestBrowser, userAgent = 'curl/8.14.1') {
    this.#browser = browser
    this.#userAgent = userAgent
  }

  /** The `Cookie` header that the browser sends. */
  get cookie(): string {
    return [...this.#browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(path: string): Promise<PageAnswer> {
    return this.#send({ path })
  }

  post(path: string, form: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.#send({ path, form })
  }

  async #send(request: { path: string; form?: Readonly<Record<string, string>> }): Promise<PageAnswer> {
    const answer = await this.#browser.send({ ...request, headers: { 'user-agent': this.#userAgent } })
    const { location } = answer.headers
    return { ...answer, text: answer.html, location: typeof location === 'string' ? location : null }
  }
}
