import { setTimeout as wait } from 'node:timers/promises'
import { type CacheEntry, RENEW_MS, type SharedState } from '../coordination/types.ts'
import { ApiError, type ApiErrorCode, type FailureReason, type ScanCause, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { buildEntry } from '../http/cached-response.ts'
import type { LiveScan } from './scanner.ts'

/** Between two looks for the outcome of somebody else's flight. */
const LOOK_MS = 50

/** How a flight ended: with an entry, or with why there is none. */
type Landing =
  | { readonly entry: CacheEntry /** Nobody scanned: another flight had just left it. */; readonly stood?: boolean }
  | { readonly cause: ScanCause }
  | { readonly code: ApiErrorCode; readonly sentence: string; readonly reason?: FailureReason }

interface FlightParts {
  readonly shared: SharedState
  readonly clock: () => number
  /** Scans a target, when there is room. */
  readonly scan: (target: Target, client: string) => Promise<LiveScan>
  /** Receives the error of a failed scan, with the details that clients do not see. */
  readonly onFailure: (order: FlightOrder, error: unknown) => void
}

export interface FlightOrder {
  /** Our id of the request that asks, for the log. */
  readonly id: string
  /** The entry's key in the cache. */
  readonly entry: string
  readonly target: Target
  readonly fresh: boolean
  /** Id of the key that asks. A scan that several keys wait for counts for the key that started it. */
  readonly client: string
  /** Milliseconds that the caller waits. */
  readonly waitMs: number
}

/** Scans each URL once at a time, in this process and across nodes: whoever asks meanwhile gets the same outcome. */
export class Flights {
  readonly #parts: FlightParts
  readonly #flying = new Map<string, Promise<Landing | null>>()

  constructor(parts: FlightParts) {
    this.#parts = parts
  }

  /**
   * Joins the flight of an entry or starts one. It belongs to no caller: one who leaves ends nothing.
   * @throws ScanError, ApiError `unavailable`: the flight's, or a `scan_timeout` of the caller's own
   */
  async join(order: FlightOrder): Promise<CacheEntry> {
    const { entry } = order
    if (order.waitMs <= 0) throw new ScanError('deadline')
    const end = performance.now() + order.waitMs
    let flight = this.#flying.get(entry)
    if (flight === undefined) {
      flight = this.#fly(order).finally(() => this.#flying.delete(entry))
      this.#flying.set(entry, flight)
    }
    const landing = await withDeadline(flight, order.waitMs)
    const rest = { ...order, waitMs: end - performance.now() }
    if (landing === null) return await this.join(rest)
    if ('entry' in landing) return landing.stood && order.fresh ? await this.join(rest) : landing.entry
    if ('cause' in landing) throw new ScanError(landing.cause)
    const { code, sentence, reason } = landing
    throw new ApiError(code, { sentence, reason })
  }

  /** Waits for all flights. */
  async settle(): Promise<void> {
    await Promise.all(this.#flying.values())
  }

  get count(): number {
    return this.#flying.size
  }

  /** @returns null when the time of its first caller is up while another node flies: others may wait on */
  async #fly(order: FlightOrder): Promise<Landing | null> {
    const { shared, clock } = this.#parts
    const end = performance.now() + order.waitMs
    while (performance.now() < end) {
      const boarding = await shared.acquire(order.entry, { fresh: order.fresh, now: clock() })
      if (boarding.role === 'done') return { entry: boarding.entry, stood: true }
      if (boarding.role === 'lead') return await this.#lead(order, boarding.token)
      const outcome = await this.#watch(order.entry, boarding.token, end)
      if (outcome !== null) return outcome
    }
    return null
  }

  /** @returns null when nobody flies any more, or time is up */
  async #watch(entry: string, token: string, end: number): Promise<Landing | null> {
    while (performance.now() < end) {
      const outcome = await this.#parts.shared.readOutcome(entry, token)
      if (outcome === 'gone') return null
      if (outcome !== null) return JSON.parse(outcome) as Landing
      await wait(LOOK_MS)
    }
    return null
  }

  async #lead(order: FlightOrder, token: string): Promise<Landing> {
    const renewal = setInterval(() => void this.#parts.shared.renew(order.entry, token), RENEW_MS)
    const landing = await this.#scan(order).finally(() => clearInterval(renewal))
    const result = 'entry' in landing ? landing.entry : null
    await this.#parts.shared.complete(order.entry, token, { outcome: JSON.stringify(landing), result })
    return landing
  }

  async #scan(order: FlightOrder): Promise<Landing> {
    try {
      const scan = await this.#parts.scan(order.target, order.client)
      return { entry: buildEntry(scan, this.#parts.clock()) }
    } catch (error) {
      this.#parts.onFailure(order, error)
      if (error instanceof ApiError) return { code: error.code, sentence: error.message, reason: error.reason }
      return { cause: error instanceof ScanError ? error.reason : 'internal' }
    }
  }
}

/** Waits for a flight, but no longer than the caller does. */
async function withDeadline(flight: Promise<Landing | null>, waitMs: number): Promise<Landing | null> {
  const late = new AbortController()
  const timer = wait<Landing>(waitMs, { cause: 'deadline' }, { signal: late.signal })
  timer.catch(() => {}) // The flight was there first.
  try {
    return await Promise.race([flight, timer])
  } finally {
    late.abort()
  }
}
