import { setTimeout as sleep } from 'node:timers/promises'
import { withDeadline } from '../async/deadline.ts'
import { type CacheEntry, RENEW_MS, type SharedState } from '../coordination/types.ts'
import type { RulesetInfo } from '../detector/ruleset-info.ts'
import { ApiError, type ApiErrorCode, type FailureReason, type ScanCause, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { RulesetChanged } from '../scan/current-rules.ts'
import type { LiveScan } from '../scan/scanner.ts'
import { buildCacheEntry, type ScanExtent } from './cache-entry.ts'
import type { ScanRequest } from './request-state.ts'

/** Interval at which a node polls for the outcome of a scan that another node runs. */
const POLL_MS = 50

/** Outcome of a scan: a cache entry, or the reason why there is none. Nodes exchange it as JSON. */
type ScanOutcome =
  | {
      readonly entry: CacheEntry
      /** The entry was already in the cache: this node did not scan. */
      readonly wasCached?: boolean
      /** The page was not rendered although it was to be: the entry is not stored. */
      readonly isUnrendered?: boolean
    }
  | { readonly cause: ScanCause }
  /** The ruleset of the requests was replaced before the scan started. */
  | { readonly isRulesetChanged: true }
  | { readonly code: ApiErrorCode; readonly sentence: string; readonly reason?: FailureReason }

interface SingleFlightParts {
  readonly shared: SharedState
  readonly clock: () => number
  /** Scans a target once the scan limiter has a slot for it. */
  readonly scan: (target: Target, client: string, ruleset: string, extent: ScanExtent) => Promise<LiveScan>
  /** Receives the error of a failed scan, including details that clients do not see. */
  readonly onFailure: (failed: FailedFlight, error: unknown) => void
}

/** The part of a scan request that decides what is scanned. The version of the rules is a part of the cache key. */
type FlightOrder = Pick<ScanRequest, 'target' | 'cacheKey' | 'fresh'> &
  ScanExtent & { readonly rules: Pick<RulesetInfo, 'version'> }

/** A scan that failed: the ID of the HTTP request that started it, and what it was to scan. */
export interface FailedFlight {
  readonly id: string
  readonly target: Target
}

/** A client that waits for a scan. */
interface ScanWaiter {
  /** Internal ID of the HTTP request, for the log. */
  readonly id: string
  /** ID of the client's API key. A scan for which several keys wait counts for the key that started it. */
  readonly client: string
  /** Milliseconds that the client waits. */
  readonly waitMs: number
}

/**
 * Scans each URL only once at a time, in this process and across nodes. Requests for a URL that is being scanned get the
 * outcome of the in-flight scan.
 */
export class SingleFlight {
  readonly #parts: SingleFlightParts
  readonly #inFlight = new Map<string, Promise<ScanOutcome | null>>()

  constructor(parts: SingleFlightParts) {
    this.#parts = parts
  }

  /**
   * Joins the in-flight scan of a URL, or starts one. A scan is not tied to one client; it continues if that client
   * disconnects.
   * @throws ScanError or ApiError `unavailable` of the scan; ScanError `scan_timeout` when the client's time is up;
   *   RulesetChanged if the ruleset was replaced before the scan started
   */
  async join(order: FlightOrder, waiter: ScanWaiter): Promise<CacheEntry> {
    const { cacheKey } = order
    if (waiter.waitMs <= 0) throw new ScanError('deadline')
    const end = performance.now() + waiter.waitMs
    let scan = this.#inFlight.get(cacheKey)
    if (scan === undefined) {
      scan = this.#run(order, waiter).finally(() => this.#inFlight.delete(cacheKey))
      this.#inFlight.set(cacheKey, scan)
    }
    const outcome = await withDeadline(scan, waiter.waitMs, () => new ScanError('deadline'))
    const later = { ...waiter, waitMs: end - performance.now() }
    if (outcome === null) return await this.join(order, later)
    if ('entry' in outcome) return outcome.wasCached && order.fresh ? await this.join(order, later) : outcome.entry
    if ('isRulesetChanged' in outcome) throw new RulesetChanged()
    if ('cause' in outcome) throw new ScanError(outcome.cause)
    const { code, sentence, reason } = outcome
    throw new ApiError(code, { sentence, reason })
  }

  /** Waits until no scan is in flight. */
  async settle(): Promise<void> {
    await Promise.all(this.#inFlight.values())
  }

  get count(): number {
    return this.#inFlight.size
  }

  /**
   * Scans, or waits for the node that scans.
   * @returns null when the time of the first client is up while another node scans; other clients may continue to wait
   */
  async #run(order: FlightOrder, waiter: ScanWaiter): Promise<ScanOutcome | null> {
    const { shared, clock } = this.#parts
    const { cacheKey, fresh } = order
    const end = performance.now() + waiter.waitMs
    while (performance.now() < end) {
      const lock = await shared.acquire(cacheKey, { fresh, now: clock() })
      if (lock.role === 'done') return { entry: lock.entry, wasCached: true }
      if (lock.role === 'lead') return await this.#scanAndPublish(order, waiter, lock.token)
      const outcome = await this.#pollOutcome(cacheKey, lock.token, end)
      if (outcome !== null) return outcome
    }
    return null
  }

  /** @returns null when the other node no longer holds its lock, or when the time is up */
  async #pollOutcome(cacheKey: string, token: string, end: number): Promise<ScanOutcome | null> {
    while (performance.now() < end) {
      const outcome = await this.#parts.shared.readOutcome(cacheKey, token)
      if (outcome === 'gone') return null
      if (outcome !== null) return JSON.parse(outcome) as ScanOutcome
      await sleep(POLL_MS)
    }
    return null
  }

  async #scanAndPublish(order: FlightOrder, waiter: ScanWaiter, token: string): Promise<ScanOutcome> {
    const { shared } = this.#parts
    const renewal = setInterval(() => void shared.renew(order.cacheKey, token), RENEW_MS)
    const outcome = await this.#scan(order, waiter).finally(() => clearInterval(renewal))
    const result = 'entry' in outcome && !outcome.isUnrendered ? outcome.entry : null
    await shared.complete(order.cacheKey, token, { outcome: JSON.stringify(outcome), result })
    return outcome
  }

  async #scan({ target, rules, pages, render }: FlightOrder, { id, client }: ScanWaiter): Promise<ScanOutcome> {
    try {
      const scan = await this.#parts.scan(target, client, rules.version, { pages, render })
      const entry = buildCacheEntry(scan, this.#parts.clock())
      return { entry, ...(scan.isUnrendered && { isUnrendered: true }) }
    } catch (error) {
      if (error instanceof RulesetChanged) return { isRulesetChanged: true }
      this.#parts.onFailure({ id, target }, error)
      if (error instanceof ApiError) return { code: error.code, sentence: error.message, reason: error.reason }
      return { cause: error instanceof ScanError ? error.reason : 'internal' }
    }
  }
}
