/** A result as it is kept: texts in JSON, so that whoever needs one part need not read the other. */
export interface CacheEntry {
  /** When the scan ended, in milliseconds since 1970. */
  readonly at: number
  /** The fields of a result, but whether it was cached. */
  readonly result: string
  /** All extras; absent where they were not asked for. */
  readonly extras?: string
}

/** Asks for one count, one look-up or both, in one go. */
export interface Take {
  /** Whose requests are counted: a key's id or an address. */
  readonly counter: string
  /** The clock, in milliseconds since 1970; windows are the minutes of the clock. */
  readonly now: number
  /** 0 reads the count and changes nothing. */
  readonly cost: 0 | 1
  /** Key of the entry to look up; absent for none. */
  readonly entry?: string
  /** Whether extras are wanted. */
  readonly extras?: boolean
}

export interface Taken {
  /** Requests in this minute, with this one. */
  readonly count: number
  readonly entry: CacheEntry | null
}

/** How a flight ended, as JSON: those who wait read it. */
export type Outcome = string

/** Who scans: a new flight is led by whoever asked first. */
export type Boarding =
  /** Go and scan; tell the outcome under this token. */
  | { readonly role: 'lead'; readonly token: string }
  /** Somebody else scans: ask for the outcome of this token. */
  | { readonly role: 'wait'; readonly token: string }
  /** A flight has just ended: this is what it left. */
  | { readonly role: 'done'; readonly entry: CacheEntry }

/** Minute windows, cached results and flights: what may get lost. */
export interface SharedState {
  take(take: Take): Promise<Taken>
  /**
   * Joins the flight of an entry or starts one.
   * @param fresh does not take what a flight has left in the cache
   */
  board(entry: string, options: { readonly fresh: boolean; readonly now: number }): Promise<Boarding>
  /** Renews the lock of a flight that is still under way, which else ends `LOCK_MS` later. A lock that was lost stays lost. */
  renew(entry: string, token: string): Promise<void>
  /** @returns null while the flight is under way; `gone` when nobody flies it any more and it left no word */
  outcomeOf(entry: string, token: string): Promise<Outcome | 'gone' | null>
  /**
   * Ends a flight: keeps the result, if there is one, tells those who wait, and lets the next one start. A result above
   * `MAX_ENTRY_BYTES` is neither cached nor published: to other nodes the flight is gone, and they scan for themselves.
   */
  land(
    entry: string,
    token: string,
    end: { readonly outcome: Outcome; readonly result: CacheEntry | null },
  ): Promise<void>
  /** Whether it is reached at the moment. */
  readonly isUp: boolean
  close(): Promise<void>
}

/** Bytes of an entry that is cached. A larger result is returned to the clients that wait in this process, and to no others. */
export const MAX_ENTRY_BYTES = 256 * 1024

/** Whether an entry is small enough to be cached and to be published to other nodes. */
export function isCacheable({ result, extras = '' }: CacheEntry): boolean {
  return Buffer.byteLength(result) + Buffer.byteLength(extras) <= MAX_ENTRY_BYTES
}

/** Milliseconds after which another node can scan what a node was scanning that died. */
export const LOCK_MS = 5000

/** Milliseconds between two renewals of the lock by the node that scans: two of them may fail. */
export const RENEW_MS = 1500

/** How long a result is served from the cache, from the end of its scan. */
export const CACHE_MS = 3_600_000
