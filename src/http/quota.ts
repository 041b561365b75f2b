import { ApiError } from '../errors.ts'
import { type Plan, planOf } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { StoreError } from '../store/types.ts'
import { monthOf, nextMonth, secondsUntil } from './calendar.ts'
import type { HostParts } from './parts.ts'
import type { Call } from './request-state.ts'

/** What a key may scan this month, and who counts it. */
export class Usage {
  readonly #store: HostParts['store']
  readonly #plans: ReadonlyMap<string, Plan>

  constructor(store: HostParts['store'], plans: ReadonlyMap<string, Plan>) {
    this.#store = store
    this.#plans = plans
  }

  quotaOf(key: Key): number {
    return planOf(this.#plans, key.plan).perMonth
  }

  /** @throws ApiError `quota_exceeded`, before anything is fetched for nothing */
  async check(call: Call, key: Key): Promise<void> {
    const used = await this.#store.usage.usedBy(key.id, monthOf(call.now))
    if (used >= this.quotaOf(key)) throw exceeded(call.now)
  }

  /** Charges a scan that succeeded, once, in the month in which it was asked for. @throws ApiError `quota_exceeded` */
  async charge(call: Call, key: Key): Promise<void> {
    const { now } = call
    const charge = { key: key.id, month: monthOf(now), quota: this.quotaOf(key), at: new Date(now) }
    // Known before the call: a store that is away is not asked, so that nothing can have been written.
    const reason = this.#store.isUp ? 'charge_in_doubt' : 'store_away'
    const used = await this.#store.usage.charge(charge).catch((cause: unknown) => {
      throw cause instanceof StoreError ? new ApiError('unavailable', { reason, cause }) : cause
    })
    if (used === null) throw exceeded(now)
  }
}

function exceeded(now: number): ApiError {
  return new ApiError('quota_exceeded', { retryAfter: secondsUntil(nextMonth(now), now) })
}
