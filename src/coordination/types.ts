/** A scan result in the cache. Its parts are JSON texts, so that a reader that needs one does not parse the other. */
export interface CacheEntry {
  /** End of the scan, in milliseconds since 1970. */
  readonly at: number
  /** Milliseconds after `at` for which it is served; `CACHE_MS` if absent. */
  readonly lifeMs?: number
  /** The fields of the result, except whether it came from the cache. */
  readonly result: string
  /** All extras; absent unless the query asked for them. */
  readonly extras?: string
}

/** Length of a rate-limit window by its name, in milliseconds. Windows begin at whole multiples of it since 1970. */
export const WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const
export type LimitWindow = keyof typeof WINDOW_MS

/** One request to the rate limiter, with an optional cache lookup in the same round trip. */
export interface LimitQuery {
  /** Name of the counter: of a key, a slot or an address. */
  readonly counter: string
  /** The time in milliseconds since 1970. */
  readonly now: number
  /** The rate-limit window: a clock minute, which is the default, or a day (UTC). */
  readonly window?: LimitWindow
  /** 0 reads the count without changing it. */
  readonly cost: 0 | 1
  /** Cache key of the entry to look up; absent for no lookup. */
  readonly entry?: string
  /** Whether the entry is returned with its extras. */
  readonly extras?: boolean
}

export interface LimitResult {
  /** Requests in the current window, including this one. */
  readonly count: number
  readonly entry: CacheEntry | null
}

/** The outcome of an in-flight scan as JSON, read by the nodes that wait for it. */
export type Outcome = string

/** The role of a node in a scan: it holds the lock, another node holds it, or a result is already cached. */
export type Acquisition =
  /** This node holds the lock. It scans and publishes the outcome under this token. */
  | { readonly role: 'lead'; readonly token: string }
  /** Another node holds the lock. Its outcome will be published under this token. */
  | { readonly role: 'wait'; readonly token: string }
  /** The cache already contains a result. */
  | { readonly role: 'done'; readonly entry: CacheEntry }

/** Rate-limit windows, cached results and single-flight locks. Losing this state is harmless. */
export interface SharedState {
  /** Counts a request and looks up a cache entry. */
  countRequest(query: LimitQuery): Promise<LimitResult>
  /**
   * Acquires the single-flight lock of an entry, or reports who holds it.
   * @param fresh ignores the cached result
   */
  acquire(entry: string, options: { readonly fresh: boolean; readonly now: number }): Promise<Acquisition>
  /** Extends the lock of a running scan, which otherwise expires after `LOCK_MS`. A lock that has expired is not restored. */
  renew(entry: string, token: string): Promise<void>
  /** @returns null while the scan runs; `gone` when its lock has expired or been released and no outcome was published */
  readOutcome(entry: string, token: string): Promise<Outcome | 'gone' | null>
  /**
   * Completes a scan: caches its result, if there is one, publishes the outcome to waiting nodes and releases the lock.
   * A result larger than `MAX_ENTRY_BYTES` is neither cached nor published: waiting nodes read `gone` and scan themselves.
   */
  complete(entry: string, token: string, completion: Completion): Promise<void>
  /** Whether the backing server can be reached at the moment. */
  readonly isUp: boolean
  close(): Promise<void>
}

/** The end of an in-flight scan. The result is null when the scan failed. */
export interface Completion {
  readonly outcome: Outcome
  readonly result: CacheEntry | null
}

/** Size limit of a cached entry. A larger result reaches only the clients that wait for it in this process. */
export const MAX_ENTRY_BYTES = 256 * 1024

/** Whether an entry is small enough to be cached and published to other nodes. */
export function isCacheable({ result, extras = '' }: CacheEntry): boolean {
  return Buffer.byteLength(result) + Buffer.byteLength(extras) <= MAX_ENTRY_BYTES
}

/** Milliseconds until an unrenewed lock expires, so that another node can scan after its holder has died. */
export const LOCK_MS = 5000

/** Milliseconds between two renewals of a lock by its holder. Two of them may fail. */
export const RENEW_MS = 1500

/** How long a result is served from the cache after the end of its scan, in milliseconds. */
export const CACHE_MS = 3_600_000

/** Computes when an entry expires, in milliseconds since 1970. */
export function computeExpiry({ at, lifeMs = CACHE_MS }: Pick<CacheEntry, 'at' | 'lifeMs'>): number {
  return at + lifeMs
}
