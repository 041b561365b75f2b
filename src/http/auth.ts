import type { IncomingHttpHeaders } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { SharedState } from '../coordination/types.ts'
import { ApiError } from '../errors.ts'
import { computeNextMinute, countSecondsUntil } from '../keys/calendar.ts'
import { hashSecret, isUsable, isWellFormed } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'
import type { RequestState } from '../service/request-state.ts'
import type { Store } from '../store/types.ts'
import { normalizeClient } from '../web/client-address.ts'
import type { PepperCheck } from './pepper-check.ts'

/** Unknown, revoked and expired keys that one address may try in a minute. */
export const UNKNOWN_KEYS_A_MINUTE = 20
/** Name of the rate-limit counter of an address. */
export function buildAddressCounter(client: string): string {
  return `address:${client}`
}

/** Maximum number of secrets that are remembered to have been valid. */
const MAX_REMEMBERED_SECRETS = 10_000

/** Reads the secret of a request; undefined if there is none. */
function readSecret({ authorization, 'x-api-key': plain }: IncomingHttpHeaders): string | undefined {
  const secret = authorization === undefined ? plain : /^Bearer +([^\s,]+) *$/i.exec(authorization)?.[1]
  return typeof secret === 'string' ? secret : undefined
}

interface AuthenticatorParts {
  readonly store: Store
  readonly shared: SharedState
  readonly pepper: string
  readonly oldPepper?: string | null
  readonly pepperCheck: Pick<PepperCheck, 'isWrong'>
}

/** Finds the key that a request is sent with, and limits the invalid keys of each address. */
export class Authenticator {
  readonly #parts: AuthenticatorParts
  /** Secrets that have been valid on this node, with their hashes. Hashing costs as much as all other work for a key. */
  readonly #validSecrets = new LRUCache<string, string>({ max: MAX_REMEMBERED_SECRETS })

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts
  }

  /**
   * @param address the client's IP address
   * @throws ApiError `unauthorized`, `rate_limited` after too many invalid keys from the address, or `unavailable` if no key can be
   *   recognized; StoreError
   */
  async authenticate(headers: IncomingHttpHeaders, address: string, call: RequestState): Promise<Key> {
    const secret = readSecret(headers) ?? ''
    const known = this.#validSecrets.get(secret)
    if (known === undefined && !isWellFormed(secret)) throw new ApiError('unauthorized')
    if (known === undefined) await this.#countInvalid(address, call, 0)
    for (const hash of known === undefined ? this.#hash(secret) : [known]) {
      const key = await this.#parts.store.keys.findKey(hash)
      if (key === null || !isUsable(key, hash, call.now)) continue
      if (known === undefined) this.#validSecrets.set(secret, hash)
      return key
    }
    this.#validSecrets.delete(secret)
    if (await this.#parts.pepperCheck.isWrong()) throw new ApiError('unavailable', { reason: 'wrong_pepper' })
    // Revoked and expired secrets count like unknown ones: X-RateLimit-Remaining must not reveal that they were once valid.
    await this.#countInvalid(address, call, 1)
    throw new ApiError('unauthorized')
  }

  /** The hashes under which a secret may be stored: one for each pepper. */
  *#hash(secret: string): Generator<string> {
    const { pepper, oldPepper = null } = this.#parts
    yield hashSecret(secret, pepper)
    if (oldPepper !== null) yield hashSecret(secret, oldPepper)
  }

  /** Counts invalid keys in the rate-limit window of an address. Cost 0 only reads the count. */
  async #countInvalid(address: string, call: RequestState, cost: 0 | 1): Promise<void> {
    const counter = buildAddressCounter(normalizeClient(address))
    const { count } = await this.#parts.shared.countRequest({ counter, now: call.now, cost })
    call.window = { limit: UNKNOWN_KEYS_A_MINUTE, count }
    if (count < UNKNOWN_KEYS_A_MINUTE + cost) return
    throw new ApiError('rate_limited', { retryAfter: countSecondsUntil(computeNextMinute(call.now), call.now) })
  }
}
