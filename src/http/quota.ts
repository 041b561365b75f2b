import { ApiError } from '../errors.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { StoreError } from '../store/types.ts'
import { formatDay, formatMonth, secondsUntil, startOfNextMonth } from './calendar.ts'
import type { AppParts } from './parts.ts'
import type { RequestState } from './request-state.ts'

/** Checks and charges the monthly quota of a key. */
export class Quota {
  readonly #store: AppParts['store']
  readonly #plans: ReadonlyMap<string, Plan>

  constructor(store: AppParts['store'], plans: ReadonlyMap<string, Plan>) {
    this.#store = store
    this.#plans = plans
  }

  #findQuota(key: Key): number {
    return findLimits(this.#plans, key).perMonth
  }

  /** Rejects a request before anything is fetched if its quota is used up. @throws ApiError `quota_exceeded` */
  async check({ now }: RequestState, key: Key): Promise<void> {
    const used = await this.#store.usage.usedBy(key.id, formatMonth(now))
    if (used >= this.#findQuota(key)) throw buildQuotaError(now)
  }

  /**
   * Charges one successful scan to the day and month in which its request arrived.
   * @throws ApiError `quota_exceeded`; `unavailable` if the store fails
   */
  async charge({ now }: RequestState, key: Key): Promise<void> {
    const charge = { key: key.id, day: formatDay(now), quota: this.#findQuota(key), at: new Date(now) }
    // Read before the call: a store that is already unavailable receives no call, so nothing can have been written.
    const reason = this.#store.isUp ? 'charge_in_doubt' : 'store_away'
    const used = await this.#store.usage.charge(charge).catch((cause: unknown) => {
      throw cause instanceof StoreError ? new ApiError('unavailable', { reason, cause }) : cause
    })
    if (used === null) throw buildQuotaError(now)
  }
}

function buildQuotaError(now: number): ApiError {
  return new ApiError('quota_exceeded', { retryAfter: secondsUntil(startOfNextMonth(now), now) })
}
