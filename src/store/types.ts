// What the service keeps, and the interfaces behind which nobody sees where: SQLite or MongoDB, memory or Redis.

/** One secret of a key. The secret itself is known to its holder alone. */
export interface KeySecret {
  /** HMAC-SHA-256 of the secret under the pepper, 64 hexadecimal digits. */
  readonly hash: string
  /** The last four characters of the secret, so that its holder can tell it. */
  readonly lastFour: string
  /** From then on it is worth nothing; null for as long as the key lives. */
  readonly expiresAt: Date | null
}

/** An API key: what belongs to its id stays when its secret changes. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly email: string
  /** Name of a plan. */
  readonly plan: string
  /** The revision of the interface that the key is pinned to; null for the service's. */
  readonly revision: 1 | 2 | null
  readonly createdAt: Date
  readonly revokedAt: Date | null
  /** The newest first. */
  readonly secrets: readonly KeySecret[]
}

/** One charge of one request. */
export interface Charge {
  /** The key's id. */
  readonly key: string
  /** `YYYY-MM`, UTC. */
  readonly month: string
  readonly quota: number
  readonly at: Date
}

/** What an operator switches while the service runs. */
export interface Switches {
  readonly maintenance: boolean
  readonly apiOff: boolean
}

/** Keys, usage and switches: what must not get lost. Every method throws `StoreError` when the store cannot answer in time. */
export interface Store {
  /** Keys are looked up in this process's own memory or file: no cache in front of them is needed. */
  readonly isLocal: boolean
  /** The key that has this secret, revoked and expired ones too; null when there is none. */
  findKey(hash: string): Promise<Key | null>
  getKey(id: string): Promise<Key | null>
  /** In the order of their creation. */
  listKeys(): Promise<readonly Key[]>
  createKey(key: Key): Promise<void>
  /** @returns false when there is no such key; a key that is revoked already stays as it was */
  revokeKey(id: string, at: Date): Promise<boolean>
  /**
   * Puts a new secret before the others, which end at `oldEndAt` unless they end before; those that ended before `now` go.
   * @returns false when there is no such key that is not revoked
   */
  rotateKey(
    id: string,
    change: { readonly secret: KeySecret; readonly oldEndAt: Date; readonly now: Date },
  ): Promise<boolean>
  /** @returns false when there is no such key */
  setPlan(id: string, plan: string): Promise<boolean>

  /** Requests that the key was charged for in a month (`YYYY-MM`). */
  usedBy(key: string, month: string): Promise<number>
  /**
   * Charges one request, if the quota is not used up: atomic over all processes. Written for good when it answers.
   * @returns the number of requests with this one; null when the quota is used up, and nothing was charged
   */
  charge(charge: Charge): Promise<number | null>
  /**
   * Notes that a key was used and not charged.
   * @returns the requests it was charged for in the month
   */
  touch(use: Omit<Charge, 'quota'>): Promise<number>
  /** When the key was last charged or touched; null when never. */
  lastUsed(key: string): Promise<Date | null>

  switches(): Promise<Switches>
  setSwitches(change: Partial<Switches>): Promise<void>

  /** A word that is kept for good: the first that somebody keeps under a name stays. @returns what is kept */
  keepOnce(name: string, value: string): Promise<string>
  /**
   * Writes something without meaning, as durably as a charge: a store that can only be read cannot serve.
   * @throws StoreError when that is not possible at the moment
   */
  ping(): Promise<void>
  close(): Promise<void>
}

/** The store cannot answer: it is away, or took too long. What was asked of it may have happened or not. */
export class StoreError extends Error {}

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
