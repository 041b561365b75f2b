import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { CacheEntry } from '../coordination/types.ts'
import { type ApiError, buildInvalidRequest, ScanError } from '../errors.ts'
import type { Policy } from '../fetch/policy.ts'
import { parseTarget } from '../fetch/target.ts'
import { findPageLimit, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { type CurrentRules, RulesetChanged } from '../scan/current-rules.ts'
import { LIVE_EXTRAS, type LiveExtra } from '../scan/extras.ts'
import type { RenderMode } from '../scan/render-modes.ts'
import { buildCacheKey } from './cache-entry.ts'
import type { Metrics } from './metrics.ts'
import { Quota, type QuotaStore } from './quota.ts'
import type { ReadOutcome, RequestState, ScanRequest } from './request-state.ts'
import { hasBrowser, type RenderingSettings } from './settings.ts'
import type { SingleFlight } from './single-flight.ts'
import { countPages } from './stored-extras.ts'

/** How long a request waits for its scan: longer than the longest scan, including its time in queues. */
const WAIT_MS = 18_000
/** How much longer it waits if a browser renders the page: as long as a page may wait for the browser and use it. */
const RENDER_MS = 13_000

/** The parameters of a scan as a client sends them, in the types of their schema. */
export interface ScanParameters {
  readonly url: string
  readonly include?: readonly LiveExtra[]
  readonly fresh?: boolean
  /** How many pages of the site are read, from 1 to what the plan of the key allows. */
  readonly pages?: number
  /** Whether a browser renders the page; `never` by default. */
  readonly render?: RenderMode
}

/** The state of a request with a key and valid parameters, which has been counted against the key's rate limit. */
export type ScanState = RequestState & { readonly key: Key; scanRequest: ScanRequest }

/** Knows which clients have closed their connection. */
interface Connections {
  hasReceivedEnd(request: IncomingMessage): boolean
  hasDisconnected(request: IncomingMessage): Promise<boolean>
}

export interface ScanRunnerParts {
  readonly settings: RenderingSettings & { readonly plans: ReadonlyMap<string, Plan> }
  readonly store: QuotaStore
  readonly policy: Policy
  readonly rules: CurrentRules
  readonly metrics: Metrics
  readonly singleFlight: SingleFlight
  readonly pending: Connections
}

/** Reads the parameters of scans and runs scans that are charged to a key: the same for the API and the portal. */
export class ScanRunner {
  readonly #parts: ScanRunnerParts
  readonly #quota: Quota

  constructor(parts: ScanRunnerParts) {
    this.#parts = parts
    this.#quota = new Quota(parts.store, parts.settings.plans)
  }

  /**
   * Reads the parameters into the state of a request. An error is returned and not thrown, because an invalid request is counted
   * before it is rejected.
   */
  read(parameters: ScanParameters, state: RequestState): ReadOutcome {
    const result = this.#parse(parameters, state.key)
    if (result instanceof Error) return { error: result }
    state.scanRequest = result
    return result.fresh ? {} : { entry: result.cacheKey, extras: result.include.length > 0 || result.pages > 1 }
  }

  #parse(
    { url, include = [], fresh = false, pages = 1, render = 'never' }: ScanParameters,
    key: Key | undefined,
  ): ScanRequest | ApiError | ScanError {
    try {
      const target = parseTarget(url, this.#parts.policy)
      const { current: rules } = this.#parts.rules
      const most = key === undefined ? 1 : findPageLimit(this.#parts.settings.plans, key)
      if (pages > most) return buildInvalidRequest(describePageLimit(most))
      if (render !== 'never' && !hasBrowser(this.#parts.settings)) return buildInvalidRequest(NO_BROWSER)
      return {
        target,
        rules,
        pages,
        render,
        cacheKey: buildCacheKey(target.url, rules.version, { pages, render }),
        include: LIVE_EXTRAS.filter((extra) => include.includes(extra)),
        fresh,
      }
    } catch (error) {
      return error instanceof ScanError ? error : buildInvalidRequest('url is not valid.')
    }
  }

  /**
   * Takes the result from the cache, or scans, and charges the key.
   * @param format prepares the response. It is called before the charge, so that a result that cannot be sent is not charged
   * @returns null if the client has disconnected: nothing was charged
   * @throws ApiError, ScanError, StoreError. Nothing was charged, except that a charge may be in doubt if the store fails
   */
  async run<T>(
    request: FastifyRequest,
    state: ScanState,
    format: (entry: CacheEntry, state: ScanState) => T,
  ): Promise<T | null> {
    const { pending } = this.#parts
    const entry = await this.#getEntry(request.id, state)
    const response = format(entry, state)
    if (pending.hasReceivedEnd(request.raw) && (await pending.hasDisconnected(request.raw))) return null
    await this.#quota.charge(state, state.key, state.scanRequest.pages === 1 ? 1 : countPages(entry.extras))
    return response
  }

  /** Returns the entry that was read with the count of the request, or that of a scan. */
  async #getEntry(id: string, state: ScanState): Promise<CacheEntry> {
    const { metrics } = this.#parts
    const { key, entry, scanRequest } = state
    metrics.cache.inc({ result: scanRequest.fresh ? 'fresh' : entry ? 'hit' : 'miss' })
    if (entry) return entry
    await this.#quota.check(state, key, scanRequest.pages)
    const end = performance.now() + WAIT_MS + (scanRequest.render === 'never' ? 0 : RENDER_MS)
    for (;;)
      try {
        return await this.#join(id, state, end - performance.now())
      } catch (error) {
        if (!(error instanceof RulesetChanged)) throw error
        const { current: rules } = this.#parts.rules
        const { target } = state.scanRequest
        const cacheKey = buildCacheKey(target.url, rules.version, state.scanRequest)
        state.scanRequest = { ...state.scanRequest, rules, cacheKey }
      }
  }

  #join(id: string, { key, scanRequest }: ScanState, waitMs: number): Promise<CacheEntry> {
    return this.#parts.singleFlight.join(scanRequest, { id, client: key.counter, waitMs })
  }
}

const NO_BROWSER = 'This service has no browser, so it cannot render pages. Remove render, or send render=never.'

function describePageLimit(most: number): string {
  return most === 1
    ? 'The plan of the key does not allow several pages. Remove pages.'
    : `The plan of the key allows at most ${most} pages.`
}
