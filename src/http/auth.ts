import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { SharedState } from '../coordination/types.ts'
import { ApiError } from '../errors.ts'
import { hashSecret, isUsable, isWellFormed } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'
import type { Store } from '../store/types.ts'
import { nextMinute, secondsUntil } from './calendar.ts'
import { clientOf } from './client-address.ts'
import type { Call } from './request-state.ts'

/** Unknown, revoked and expired keys that one address may try in a minute. */
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

/** What a request carries as its secret; undefined when it carries nothing. */
function readSecret({ authorization, 'x-api-key': plain }: IncomingHttpHeaders): string | undefined {
  const secret = authorization === undefined ? plain : /^Bearer +([^\s,]+) *$/i.exec(authorization)?.[1]
  return typeof secret === 'string' ? secret : undefined
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
  /** Secrets that have been good → their hashes, which cost as much as all else that is done with a key. */
  readonly #good = new LRUCache<string, string>({ max: MANY })

  constructor(parts: KeyBookParts) {
    this.#parts = parts
  }

  /**
   * @param address of the caller
   * @throws ApiError `unauthorized`; `rate_limited` for one more key that is not valid than an address may try; StoreError
   */
  async authenticate(headers: IncomingHttpHeaders, address: string, call: Call): Promise<Key> {
    const secret = readSecret(headers) ?? ''
    const known = this.#good.get(secret)
    if (known === undefined && !isWellFormed(secret)) throw new ApiError('unauthorized')
    const hash = known ?? hashSecret(secret, this.#parts.pepper)
    if (known === undefined) await this.#count(address, call, 0)
    const key = await this.#find(hash)
    if (key !== null && isUsable(key, hash, call.now)) {
      this.#good.set(secret, hash)
      return key
    }
    this.#good.delete(secret)
    this.#held.delete(hash) // Looked up each time, like an unknown one: it is answered neither sooner nor without the store.
    // A revoked or expired secret counts like an unknown one: X-RateLimit-Remaining must not show that it was valid once.
    await this.#count(address, call, 1)
    throw new ApiError('unauthorized')
  }

  /** Counts keys that are not valid in the rate-limit window of an address; with cost 0 only reads it. */
  async #count(address: string, call: Call, cost: 0 | 1): Promise<void> {
    const counter = addressCounter(clientOf(address))
    const { count } = await this.#parts.shared.countRequest({ counter, now: call.now, cost })
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
