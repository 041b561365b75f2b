import { setTimeout as sleep } from 'node:timers/promises'
import { findNextQuery } from '../../../src/mcp/next-part.ts'
import type { BatchInfo } from '../../../src/service/response-schemas.ts'

const RETRY_MS = 500
/** A request without a response for this long is sent to the next server. */
const TIMEOUT_MS = 60_000

/** Lines of a batch by position: how many each has, and how many are results. */
export interface ReadLines {
  readonly lines: number
  readonly positions: number
  readonly results: number
}

/** A client of batches that repeats what fails, on the servers in turn. */
export class BenchClient {
  readonly #urls: readonly string[]
  readonly #secret: string
  #turn = 0
  /** Requests that were repeated. */
  repeated = 0

  constructor(urls: readonly string[], secret: string) {
    this.#urls = urls
    this.#secret = secret
  }

  async #ask(path: string, init: RequestInit = {}): Promise<Response> {
    for (;;) {
      const server = this.#urls[this.#turn++ % this.#urls.length]
      const response = await fetch(`${server}/api/v1${path}`, {
        ...init,
        headers: { authorization: `Bearer ${this.#secret}`, ...init.headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).catch(() => null)
      if (response !== null && response.status < 500) return response
      this.repeated++
      await sleep(RETRY_MS)
    }
  }

  /** Submits a list. @returns the id of the batch */
  async submit(urls: readonly string[], idempotencyKey: string): Promise<string> {
    const headers = { 'content-type': 'text/plain', 'idempotency-key': idempotencyKey }
    const response = await this.#ask('/batches', { method: 'POST', headers, body: urls.join('\n') })
    if (response.status !== 202) throw new Error(`not submitted: ${response.status} ${await response.text()}`)
    return ((await response.json()) as BatchInfo).id
  }

  async read(id: string): Promise<BatchInfo> {
    for (;;) {
      const response = await this.#ask(`/batches/${id}`)
      // The body breaks off if the server is killed while it responds.
      const batch = response.ok ? await response.json().catch(() => null) : null
      if (batch !== null) return batch as BatchInfo
      this.repeated++
      await sleep(RETRY_MS)
    }
  }

  /** Reads the results from the beginning to the end of the batch, while it runs. */
  async follow(id: string): Promise<ReadLines> {
    const seen = new Set<number>()
    let lines = 0
    let results = 0
    let query: string | null = ''
    while (query !== null) {
      const response = await this.#ask(`/batches/${id}/results${query}`)
      const text = response.ok ? await response.text().catch(() => null) : null
      if (text === null) {
        await sleep(RETRY_MS)
        continue
      }
      for (const line of text.split('\n').filter(Boolean)) {
        const { position, result } = JSON.parse(line) as { readonly position: number; readonly result?: object }
        seen.add(position)
        lines++
        if (result !== undefined) results++
      }
      if (text === '') await sleep(RETRY_MS)
      query = findNextQuery(response.headers.get('link'))
    }
    return { lines, positions: seen.size, results }
  }

  async cancel(id: string): Promise<void> {
    await this.#ask(`/batches/${id}`, { method: 'DELETE' })
  }

  async scan(url: string): Promise<void> {
    await (await this.#ask(`/scan?url=${encodeURIComponent(url)}`)).text()
  }
}
