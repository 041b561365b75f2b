import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../config/config.ts'
import { findServiceUrl } from '../../config/settings.ts'
import { SetupError } from '../../errors.ts'
import type { BatchInfo, BatchListInfo, ErrorBody } from '../../service/response-schemas.ts'

const MAX_TRIES = 5
const FIRST_RETRY_MS = 1000
const REQUEST_TIMEOUT_MS = 60_000

interface BatchCall {
  readonly method?: 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** The batches of a service, over its API. Requests that are rate-limited or get no answer are repeated. */
export class BatchClient {
  readonly #url: string
  readonly #key: string

  /** @throws SetupError if no API key is set */
  constructor(config: Config) {
    const { serviceUrl, apiKey } = config
    if (apiKey === null)
      throw new SetupError('SITEPRINT_KEY is not set: batches belong to an API key of the service at SITEPRINT_URL')
    this.#url = `${serviceUrl ?? findServiceUrl(config)}/api/v1/batches`
    this.#key = apiKey
  }

  async submit(list: string, query: URLSearchParams, options: BatchCall): Promise<BatchInfo> {
    return await this.#read(await this.request(`?${query}`, { method: 'POST', body: list, ...options }))
  }

  async list(before?: string): Promise<BatchListInfo> {
    return await this.#read(await this.request(before === undefined ? '' : `?before=${before}`))
  }

  async get(id: string, signal?: AbortSignal): Promise<BatchInfo> {
    return await this.#read(await this.request(`/${encodeURIComponent(id)}`, signal === undefined ? {} : { signal }))
  }

  async change(id: string, change: 'cancel' | 'retry'): Promise<BatchInfo> {
    const path = `/${encodeURIComponent(id)}`
    const response =
      change === 'cancel'
        ? await this.request(path, { method: 'DELETE' })
        : await this.request(`${path}/retry`, { method: 'POST' })
    return await this.#read(response)
  }

  async #read<T>(response: Response): Promise<T> {
    return (await response.json()) as T
  }

  /** @throws SetupError that says what the service answered; the reason of the signal */
  async request(path: string, { signal, ...init }: BatchCall = {}): Promise<Response> {
    for (let tries = 1; ; tries++) {
      const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      const response = await fetch(`${this.#url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${this.#key}`, ...init.headers },
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      }).catch((error: unknown) => {
        signal?.throwIfAborted()
        if (tries === MAX_TRIES) throw new SetupError(`the service at ${this.#url} does not respond`, { cause: error })
        return null
      })
      if (response?.ok) return response
      const isTemporary = response === null || response.status === 503 || response.status === 429
      if (!isTemporary || tries === MAX_TRIES) throw await this.#describe(response)
      const seconds = Number(response?.headers.get('retry-after') ?? 0)
      await sleep(Math.max(seconds * 1000, FIRST_RETRY_MS * 2 ** (tries - 1)), undefined, signal && { signal })
    }
  }

  async #describe(response: Response | null): Promise<SetupError> {
    const body = (await response?.json().catch(() => null)) as ErrorBody | null
    return new SetupError(
      body === null ? `the service answered with ${response?.status}` : `${body.error} (${body.code})`,
    )
  }
}
