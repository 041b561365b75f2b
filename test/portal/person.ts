import type { FastifyInstance } from 'fastify'

/** The answer to a person's browser. */
export interface PageAnswer {
  readonly status: number
  /** Path of a redirect; null without one. */
  readonly location: string | null
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

interface PersonOptions {
  readonly userAgent?: string
  /** Address of the client: log-ins are limited by it. */
  readonly address?: string
}

const HOST = 'siteprint.test'
let count = 0

/** A person with a browser that keeps cookies, and sends forms as the pages of the portal do. */
export class Person {
  readonly #fastify: FastifyInstance
  readonly #cookies = new Map<string, string>()
  readonly #options: Required<PersonOptions>

  constructor({ fastify }: { readonly fastify: FastifyInstance }, options: PersonOptions = {}) {
    this.#fastify = fastify
    const number = ++count
    const address = `203.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    this.#options = { userAgent: 'curl/8.14.1', address, ...options }
  }

  /** The `Cookie` header that the browser sends. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get(url: string): Promise<PageAnswer> {
    return this.#send({ method: 'GET', url })
  }

  post(url: string, form: Readonly<Record<string, string>> = {}): Promise<PageAnswer> {
    return this.#send({ method: 'POST', url, payload: new URLSearchParams(form).toString() })
  }

  async #send(request: { method: 'GET' | 'POST'; url: string; payload?: string }): Promise<PageAnswer> {
    const reply = await this.#fastify.inject({
      ...request,
      remoteAddress: this.#options.address,
      headers: {
        host: HOST,
        'user-agent': this.#options.userAgent,
        ...(this.#cookies.size > 0 && { cookie: this.cookie }),
        ...(request.method === 'POST' && {
          origin: `http://${HOST}`,
          'content-type': 'application/x-www-form-urlencoded',
        }),
      },
    })
    for (const { name, value, maxAge } of reply.cookies)
      if (value === '' || maxAge === 0) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    const { location } = reply.headers
    return {
      status: reply.statusCode,
      location: typeof location === 'string' ? location : null,
      text: reply.payload,
      headers: reply.headers,
    }
  }
}
