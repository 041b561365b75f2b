import type { Collection, Filter } from 'mongodb'
import { readMonth } from '../read-month.ts'
import type { Charge, CounterUse, DayUsage, MonthUsage, UsageStore } from '../types.ts'
import { buildUsageId, type ChargeTimes, MongoCharges } from './charges.ts'
import { ONE_BATCH, type UsageDocument } from './collections.ts'
import { isDuplicate } from './errors.ts'

/** The collection of charged requests by counter and month, with its days. The field `key` contains the counter. */
export class MongoUsage implements UsageStore {
  readonly #usage: Collection<UsageDocument>
  readonly #maxTimeMS: number
  readonly #charges: MongoCharges

  constructor(usage: Collection<UsageDocument>, times: ChargeTimes) {
    this.#usage = usage
    this.#maxTimeMS = times.maxTimeMS
    this.#charges = new MongoCharges(usage, times)
  }

  async usedBy(counter: string, month: string): Promise<number> {
    return (await this.#usage.findOne({ _id: buildUsageId(counter, month) }, { projection: { used: 1 } }))?.used ?? 0
  }

  async charge(charge: Charge): Promise<number | null> {
    readMonth(charge.day) // Checked here, so that an invalid day does not fail the charges that wait for it.
    if (charge.quota <= 0) return null // No document is created in this case.
    return this.#charges.charge(charge)
  }

  async touch({ counter, day, at }: CounterUse): Promise<number> {
    const month = readMonth(day)
    const update = { $max: { lastUsedAt: at }, $setOnInsert: { key: counter, month, used: 0 } }
    const options = { returnDocument: 'after', maxTimeMS: this.#maxTimeMS, projection: { used: 1 } } as const
    const filter = { _id: buildUsageId(counter, month) }
    try {
      return (await this.#usage.findOneAndUpdate(filter, update, { ...options, upsert: true }))?.used ?? 0
    } catch (error) {
      // Another request has just inserted the document.
      if (!isDuplicate(error)) throw error
      return (await this.#usage.findOneAndUpdate(filter, update, options))?.used ?? 0
    }
  }

  async lastUsed(counter: string): Promise<Date | null> {
    const [last] = await this.#usage.find({ key: counter }).sort({ lastUsedAt: -1 }).limit(1).toArray()
    return last?.lastUsedAt ?? null
  }

  async listMonths(counters: readonly string[], since: string): Promise<readonly MonthUsage[]> {
    return await this.#findMonths({ key: { $in: counters }, month: { $gte: since } })
  }

  async listMonth(month: string): Promise<readonly MonthUsage[]> {
    return await this.#findMonths({ month })
  }

  async #findMonths(filter: Filter<UsageDocument>): Promise<readonly MonthUsage[]> {
    const projection = { key: 1, month: 1, used: 1, lastUsedAt: 1 }
    return (await this.#usage.find(filter, { projection, ...ONE_BATCH }).toArray()).map(toMonth)
  }

  async listDays(counters: readonly string[], first: string, last = first): Promise<readonly DayUsage[]> {
    const filter = { key: { $in: counters }, month: { $gte: first, $lte: last } }
    const found = await this.#usage.find(filter, { projection: { key: 1, month: 1, days: 1 }, ...ONE_BATCH }).toArray()
    return found.flatMap(toDays)
  }
}

export function toMonth({ key, month, used, lastUsedAt }: UsageDocument): MonthUsage {
  return { counter: key, month, used, lastUsedAt }
}

/** The days of a month on which its counter was charged. */
export function toDays({ key, month, days = {} }: Pick<UsageDocument, 'key' | 'month' | 'days'>): DayUsage[] {
  const entries = Object.entries(days).filter(([, used]) => used > 0)
  return entries.map(([field, used]) => ({ counter: key, day: `${month}-${field.slice(1)}`, used }))
}
