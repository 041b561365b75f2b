import { ApiError } from '../errors.ts'
import { computeNextMonth, countSecondsUntil, formatDay, formatMonth } from '../keys/calendar.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { type Store, StoreError } from '../store/types.ts'
import type { RequestState } from './request-state.ts'

/** The store as the quota uses it. */
export type QuotaStore = Pick<Store, 'usage'> & { readonly isUp: boolean }

/** Checks and charges the monthly quota of a key, or of its slot if it belongs to an account. */
export class Quota {
  readonly #store: QuotaStore
  readonly #plans: ReadonlyMap<string, Plan>

  constructor(store: QuotaStore, plans: ReadonlyMap<string, Plan>) {
    this.#store = store
    this.#plans = plans
  }

  #findQuota(key: Key): number {
    return findLimits(this.#plans, key).perMonth
  }

  /**
   * Rejects a request before anything is fetched if its quota does not suffice.
   * @param count the scans that may be charged to it
   * @throws ApiError `quota_exceeded`
   */
  async check(state: RequestState, key: Key, count: number): Promise<void> {
    const { now } = state
    const limit = this.#findQuota(key)
    const used = await this.#store.usage.usedBy(key.counter, formatMonth(now))
    state.quota = { limit, used }
    if (used + count > limit) throw buildQuotaError(now, limit - used)
  }

  /**
   * Charges a successful scan to the day and month in which its request arrived.
   * @param count the pages that it read: all of them are charged, or none
   * @throws ApiError `quota_exceeded`; `unavailable` if the store fails
   */
  async charge(state: RequestState, key: Key, count: number): Promise<void> {
    const { now } = state
    const limit = this.#findQuota(key)
    const charge = {
      counter: key.counter,
      day: formatDay(now),
      quota: limit,
      at: new Date(now),
      ...(count > 1 && { count }),
    }
    // Read before the call: a store that is already unavailable receives no call, so nothing can have been written.
    const reason = this.#store.isUp ? 'charge_in_doubt' : 'store_away'
    const used = await this.#store.usage.charge(charge).catch((cause: unknown) => {
      throw cause instanceof StoreError ? new ApiError('unavailable', { reason, cause }) : cause
    })
    if (used === null && count > 1) await this.check(state, key, count) // Says how many are left.
    state.quota = { limit, used: used ?? limit }
    if (used === null) throw buildQuotaError(now, 0)
  }
}

/** @param left scans that are left in the month, which are fewer than the request needs */
function buildQuotaError(now: number, left: number): ApiError {
  const retryAfter = countSecondsUntil(computeNextMonth(now), now)
  if (left <= 0) return new ApiError('quota_exceeded', { retryAfter })
  const sentence = `The monthly quota of the key has ${left === 1 ? '1 scan' : `${left} scans`} left. Ask for at most so many pages, or wait for the number of seconds in Retry-After.`
  return new ApiError('quota_exceeded', { sentence, retryAfter })
}

/** Builds the `X-Quota-*` headers. The reset is a Unix time in seconds. */
export function buildQuotaHeaders({ now, quota }: Pick<RequestState, 'now' | 'quota'>): Record<string, string> {
  if (quota === undefined) return {}
  return {
    'x-quota-limit': String(quota.limit),
    'x-quota-remaining': String(Math.max(0, quota.limit - quota.used)),
    'x-quota-reset': String(computeNextMonth(now) / 1000),
  }
}
