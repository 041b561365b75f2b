import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors.ts'
import { hashSecret, isUsable, isWellFormed } from '../keys.ts'
import type { Key, SharedState, Store } from '../store/types.ts'
import { nextMinute, secondsUntil } from './calendar.ts'
import type { Call } from './call.ts'

/** Unknown keys that one address may try in a minute. */
export const UNKNOWN_KEYS_A_MINUTE = 20
/** Under which an address is counted. */
export function addressCounter(client: string): string {
  return `address:${client}`
}

/** Milliseconds that a key is held, so that it is worth nothing 5 s after its revocation wherever that was. */
const HOLD_MS = 4000
/** Keys that are held, and keys that are remembered to have been good. */
const MANY = 10_000

interface Held {
  readonly since: number
  readonly key: Promise<Key | null>
}

/** The secret that a request carries; undefined when it carries none, or one in a form that none has. */
function readSecret({ authorization, 'x-api-key': plain }: IncomingHttpHeaders): string | undefined {
  const secret = authorization === undefined ? plain : /^Bearer +([^\s,]+) *$/i.exec(authorization)?.[1]
  return typeof secret === 'string' && isWellFormed(secret) ? secret : undefined
}

interface KeyBookParts {
  readonly store: Store
  readonly shared: SharedState
  readonly pepper: string
}

/** Tells whose key a request carries. */
export class KeyBook {
  readonly #parts: KeyBookParts
  readonly #held = new LRUCache<string, Held>({ max: MANY })
  readonly #good = new LRUCache<string, true>({ max: MANY })

  constructor(parts: KeyBookParts) {
    this.#parts = parts
  }

  /**
   * @param client what the caller's address is counted as
   * @throws ApiError `unauthorized`; `rate_limited` for one more unknown key than an address may try; StoreError
   */
  async authenticate(headers: IncomingHttpHeaders, client: string, call: Call): Promise<Key> {
    const secret = readSecret(headers)
    if (secret === undefined) throw new ApiError('unauthorized')
    const hash = hashSecret(secret, this.#parts.pepper)
    if (!this.#good.has(hash)) await this.#count(client, call, 0)
    const key = await this.#find(hash)
    if (key !== null && isUsable(key, hash, call.now)) {
      this.#good.set(hash, true)
      return key
    }
    // One that was revoked is no guess: its former holder shuts out nobody.
    if (key === null) await this.#count(client, call, 1)
    throw new ApiError('unauthorized')
  }

  /** Where an address stands with unknown keys. */
  async #count(client: string, call: Call, cost: 0 | 1): Promise<void> {
    const { count } = await this.#parts.shared.take({ counter: addressCounter(client), now: call.now, cost })
    call.window = { limit: UNKNOWN_KEYS_A_MINUTE, count }
    if (count < UNKNOWN_KEYS_A_MINUTE + cost) return
    throw new ApiError('rate_limited', { retryAfter: secondsUntil(nextMinute(call.now), call.now) })
  }

  /** A key is held from the moment it was asked for; many at once ask once. */
  #find(hash: string): Promise<Key | null> {
    const { store } = this.#parts
    if (store.isLocal) return store.findKey(hash)
    const held = this.#held.get(hash)
    const age = held === undefined ? HOLD_MS : performance.now() - held.since
    if (held !== undefined && age < HOLD_MS) return held.key
    const key = store.findKey(hash)
    this.#held.set(hash, { since: performance.now(), key })
    const forget = (): void => {
      if (this.#held.peek(hash)?.key === key) this.#held.delete(hash)
    }
    key.then((found) => found ?? forget(), forget) // A key that is made now is good at once.
    return key
  }
}
