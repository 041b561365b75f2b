import { LRUCache } from 'lru-cache'

/** After this time, recorded match time counts half. */
const HALF_LIFE_MS = 20_000
/** Maximum number of clients whose match time is remembered. The least recently active clients are forgotten first. */
const MAX_REMEMBERED_CLIENTS = 10_000

/** A match that waits for a worker. */
export interface QueuedMatch {
  /** The client for which the page is matched. All matches without a client are treated as one client. */
  readonly client: string
  /** Called once, when the match gets a worker. */
  readonly start: () => void
}

/** Match time of one client: `ms` as of the time `at`, halved every `HALF_LIFE_MS` since. */
interface MatchUsage {
  readonly ms: number
  readonly at: number
}

/**
 * Selects the waiting match that runs next. Clients without a running match come before clients with one. Among equals, the
 * client with the least recent match time comes first, so that expensive pages delay their own client rather than all
 * clients. Within a client, the order is FIFO.
 */
export class MatchQueue {
  readonly #waiting = new Set<QueuedMatch>()
  readonly #running = new Map<string, number>()
  readonly #usage = new LRUCache<string, MatchUsage>({ max: MAX_REMEMBERED_CLIENTS })
  readonly #clock: () => number

  /** @param clock milliseconds from any starting point */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock
  }

  get size(): number {
    return this.#waiting.size
  }

  add(match: QueuedMatch): void {
    this.#waiting.add(match)
  }

  /** Removes a waiting match. Does nothing when it has started. */
  remove(match: QueuedMatch): void {
    this.#waiting.delete(match)
  }

  /** Starts the next match. @returns false when no match is waiting */
  startNext(): boolean {
    const next = this.#findNext()
    if (next === undefined) return false
    this.#waiting.delete(next)
    this.#running.set(next.client, (this.#running.get(next.client) ?? 0) + 1)
    next.start()
    return true
  }

  /** Records the end of a started match, and for how long it used a worker. */
  finish({ client }: QueuedMatch, ms: number): void {
    const left = (this.#running.get(client) ?? 1) - 1
    if (left > 0) this.#running.set(client, left)
    else this.#running.delete(client)
    const now = this.#clock()
    this.#usage.set(client, { ms: this.#findUsage(client, now) + ms, at: now })
  }

  #findNext(): QueuedMatch | undefined {
    const now = this.#clock()
    const seen = new Set<string>() // Only the first match of each client competes.
    let best: { readonly match: QueuedMatch; readonly running: number; readonly used: number } | undefined
    for (const match of this.#waiting) {
      if (seen.has(match.client)) continue
      seen.add(match.client)
      const running = this.#running.get(match.client) ?? 0
      const used = this.#findUsage(match.client, now)
      if (best === undefined || running < best.running || (running === best.running && used < best.used))
        best = { match, running, used }
    }
    return best?.match
  }

  #findUsage(client: string, now: number): number {
    const usage = this.#usage.get(client)
    return usage === undefined ? 0 : usage.ms * 2 ** ((usage.at - now) / HALF_LIFE_MS)
  }
}
