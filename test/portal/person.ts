import type { PortalRequest, TestBrowser } from './portal-fixture.ts'

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

  /** Sends a form as `multipart/form-data`. */
  async upload(path: string, form: FormData): Promise<PageAnswer> {
    const request = new Request('http://localhost/', { method: 'POST', body: form })
    const type = request.headers.get('content-type') ?? undefined
    return this.#send({ path, form: Buffer.from(await request.arrayBuffer()), headers: { 'content-type': type } })
  }

  async #send({ headers, ...request }: PortalRequest): Promise<PageAnswer> {
    const answer = await this.#browser.send({ ...request, headers: { 'user-agent': this.#userAgent, ...headers } })
    const { location } = answer.headers
    return { ...answer, text: answer.html, location: typeof location === 'string' ? location : null }
  }
}

/** The fields of the form for a batch, and its file. */
interface ListForm {
  readonly urls?: string
  readonly file?: { readonly name: string; readonly content: string | Uint8Array<ArrayBuffer> }
  readonly column?: string
  readonly form?: string
  readonly key?: string
}

/** Sends a list as the form of the page does: a browser sends an empty file where none was chosen. */
export function postList(
  person: Person,
  { file = { name: '', content: '' }, ...fields }: ListForm,
): Promise<PageAnswer> {
  const form = new FormData()
  for (const [name, value] of Object.entries({ urls: '', column: '', form: crypto.randomUUID(), ...fields }))
    form.append(name, value)
  form.append('file', new Blob([file.content]), file.name)
  return person.upload('/batches', form)
}
