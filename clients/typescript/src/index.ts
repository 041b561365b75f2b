import { ConnectionError, readError, SiteprintError } from './errors.ts'
import { Pace } from './pace.ts'
import { scanAll } from './scan-all.ts'
import type { BatchOptions, ResultOptions, ScanAllOptions, ScanOptions, ScanOutcome } from './scan-options.ts'
import type { Batch, BatchLine, BatchList, Catalogue, KeyInfo, KeyUsage, ScanResult } from './schema.ts'
import { sleep } from './sleep.ts'

export type { BatchOptions, ResultOptions, ScanAllOptions, ScanOptions, ScanOutcome } from './scan-options.ts'
export type * from './schema.ts'
export { ConnectionError, SiteprintError }

/** The service answers within 18 seconds, and within 31 seconds if a browser renders the page. */
const TIMEOUT_MS = 33_000
/** A rate-limit window lasts a minute; a used-up quota lasts until the next month. */
const MAX_WAIT_MS = 65_000
const FIRST_BACKOFF_MS = 1000
/** Pause before an empty part of the results of a batch is read again. */
const POLL_MS = 2000

export interface ClientOptions {
  /** Address of the service, such as `https://siteprint.example`. */
  readonly baseUrl: string
  /** API key. */
  readonly key: string
  /** Maximum number of retries of a request; 3 by default. */
  readonly maxRetries?: number
  /** The longest wait before a retry, in milliseconds; 65,000 by default. A longer `Retry-After` fails immediately. */
  readonly maxWaitMs?: number
  /** Time limit of one request, in milliseconds; 20,000 by default. */
  readonly timeoutMs?: number
  readonly fetch?: typeof fetch
}

interface Call {
  readonly body?: object
  readonly method?: 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/**
 * A client of one service with one key. Requests stay within the rate limit of the key. Rate-limited requests are
 * repeated after `Retry-After`, and those that got no response or 503 after one, two and four seconds. Failed scans
 * (500) are not repeated.
 */
export class Siteprint {
  readonly #options: Required<ClientOptions>
  readonly #pace = new Pace()

  constructor({ baseUrl, ...options }: ClientOptions) {
    const usual = { maxRetries: 3, maxWaitMs: MAX_WAIT_MS, timeoutMs: TIMEOUT_MS, fetch: globalThis.fetch }
    this.#options = { ...usual, ...options, baseUrl: baseUrl.replace(/\/$/, '') }
  }

  /** Scans a site. @throws SiteprintError, ConnectionError; the reason of the signal */
  scan(url: string, { include = [], fresh = false, pages, render, signal }: ScanOptions = {}): Promise<ScanResult> {
    const body = { url, include, fresh, ...(pages !== undefined && { pages }), ...(render !== undefined && { render }) }
    return this.#call('/scan', { body, signal })
  }

  /**
   * Scans many sites and yields their outcomes as they complete. A site that fails does not end the iteration; an error
   * that every further request would have too (a key that is not valid, a used-up quota) does.
   * @throws SiteprintError with status 401 or code `quota_exceeded`; the reason of the signal
   */
  scanAll(urls: Iterable<string> | AsyncIterable<string>, options: ScanAllOptions = {}): AsyncGenerator<ScanOutcome> {
    return scanAll((url, signal) => this.scan(url, { ...options, signal }), urls, options)
  }

  /** Reads the details and the usage of the key. @throws SiteprintError, ConnectionError */
  me(): Promise<KeyInfo> {
    return this.#call('/me')
  }

  /** Reads the charged scans by day. @param month such as `2026-05`; the current one by default */
  usage(month?: string): Promise<KeyUsage> {
    return this.#call(`/usage${month === undefined ? '' : `?month=${encodeURIComponent(month)}`}`)
  }

  /** Lists what a scan can detect. @param kind only the entries of this kind */
  catalogue(kind?: 'builder' | 'hosting' | 'site-type' | 'technology'): Promise<Catalogue> {
    return this.#call(`/catalogue${kind === undefined ? '' : `?kind=${kind}`}`)
  }

  /**
   * Submits a list of URLs that the service scans in the background. With an `idempotencyKey`, repeating the call finds the first batch.
   * @throws SiteprintError, ConnectionError; the reason of the signal
   */
  createBatch(urls: readonly string[], options: BatchOptions = {}): Promise<Batch> {
    const { include = [], fresh = false, webhook, idempotencyKey, signal } = options
    const body = { urls, include, fresh, ...(webhook !== undefined && { webhook }) }
    const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey }
    return this.#call('/batches', { body, ...(headers && { headers }), signal })
  }

  /** Reads the progress of a batch. */
  batch(id: string): Promise<Batch> {
    return this.#call(`/batches/${encodeURIComponent(id)}`)
  }

  /** Lists the batches of the key, newest first. @param before `next` of the page before */
  batches(before?: string): Promise<BatchList> {
    return this.#call(`/batches${before === undefined ? '' : `?before=${encodeURIComponent(before)}`}`)
  }

  /** Cancels what has not started. */
  cancelBatch(id: string): Promise<Batch> {
    return this.#call(`/batches/${encodeURIComponent(id)}`, { method: 'DELETE' })
  }

  /** Lets the failed URLs of a batch be scanned again. */
  retryBatch(id: string): Promise<Batch> {
    return this.#call(`/batches/${encodeURIComponent(id)}/retry`, { method: 'POST' })
  }

  /**
   * Yields the results of a batch in the order of completion, and waits for those that are missing until the batch has ended.
   * @throws SiteprintError, ConnectionError; the reason of the signal
   */
  async *batchResults(id: string, { pollMs = POLL_MS, signal }: ResultOptions = {}): AsyncGenerator<BatchLine> {
    let query = ''
    for (;;) {
      const response = await this.#request(`/batches/${encodeURIComponent(id)}/results${query}`, { signal })
      const lines = (await response.text()).split('\n').filter((line) => line !== '')
      for (const line of lines) yield JSON.parse(line) as BatchLine
      const next = /<[^>?]*(\?[^>]*)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      if (next === undefined) return
      if (lines.length === 0) await sleep(pollMs, signal)
      query = next
    }
  }

  async #call<T>(path: string, call?: Call): Promise<T> {
    return (await (await this.#request(path, call)).json()) as T
  }

  /** Sends a request, and retries it as long as a retry may help. */
  async #request(path: string, call: Call = {}): Promise<Response> {
    const { maxRetries, maxWaitMs } = this.#options
    for (let tries = 0; ; tries++) {
      const outcome = await this.#send(path, call)
      if (!(outcome instanceof Error)) return outcome
      const waitMs = findWait(outcome, tries)
      if (waitMs === null || tries >= maxRetries || waitMs > maxWaitMs) throw outcome
      await sleep(waitMs, call.signal)
    }
  }

  async #send(
    path: string,
    { body, method = body && 'POST', headers, signal }: Call,
  ): Promise<Response | SiteprintError | ConnectionError> {
    const { baseUrl, key, timeoutMs, fetch } = this.#options
    await this.#pace.acquire(signal)
    const limit = AbortSignal.timeout(timeoutMs)
    let response: Response | undefined
    try {
      response = await fetch(`${baseUrl}/api/v1${path}`, {
        headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(method && { method }),
        ...(body && { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      return response.ok ? response : await readError(response)
    } catch (error) {
      signal?.throwIfAborted()
      return new ConnectionError(error)
    } finally {
      this.#pace.release(response?.headers)
    }
  }
}

/** Milliseconds to wait before a request is retried; null if a retry does not help. */
function findWait(error: SiteprintError | ConnectionError, tries: number): number | null {
  const backoff = FIRST_BACKOFF_MS * 2 ** tries
  if (error instanceof ConnectionError || error.status === 503) return backoff
  if (error.status === 429) return error.retryAfter === undefined ? backoff : error.retryAfter * 1000
  return null
}
