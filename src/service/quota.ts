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

  /** Rejects a request before anything is fetched if its quota is used up. @throws ApiError `quota_exceeded` */
  async check(state: RequestState, key: Key): Promise<void> {
    const { now } = state
    const limit = this.#findQuota(key)
    const used = await this.#store.usage.usedBy(key.counter, formatMonth(now))
    state.quota = { limit, used }
    if (used >= limit) throw buildQuotaError(now)
  }

  /**
   * Charges one successful scan to the day and month in which its request arrived.
   * @throws ApiError `quota_exceeded`; `unavailable` if the store fails
   */
  async charge(state: RequestState, key: Key): Promise<void> {
    const { now } = state
    const limit = this.#findQuota(key)
    const charge = { counter: key.counter, day: formatDay(now), quota: limit, at: new Date(now) }
    // Read before the call: a store that is already unavailable receives no call, so nothing can have been written.
    const reason = this.#store.isUp ? 'charge_in_doubt' : 'store_away'
    const used = await this.#store.usage.charge(charge).catch((cause: unknown) => {
      throw cause instanceof StoreError ? new ApiError('unavailable', { reason, cause }) : cause
    })
    state.quota = { limit, used: used ?? limit }
    if (used === null) throw buildQuotaError(now)
  }
}

function buildQuotaError(now: number): ApiError {
  return new ApiError('quota_exceeded', { retryAfter: countSecondsUntil(computeNextMonth(now), now) })
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
