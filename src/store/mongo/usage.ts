import type { Collection } from 'mongodb'
import type { Charge, KeyUse, UsageStore } from '../types.ts'
import { buildUsageId, type ChargeTimes, MongoCharges } from './charges.ts'
import { isDuplicate } from './errors.ts'
import type { UsageDocument } from './schema.ts'

/** The collection of charged requests by key and month. */
export class MongoUsage implements UsageStore {
  readonly #usage: Collection<UsageDocument>
  readonly #maxTimeMS: number
  readonly #charges: MongoCharges

  constructor(usage: Collection<UsageDocument>, times: ChargeTimes) {
    this.#usage = usage
    this.#maxTimeMS = times.maxTimeMS
    this.#charges = new MongoCharges(usage, times)
  }

  async usedBy(key: string, month: string): Promise<number> {
    return (await this.#usage.findOne({ _id: buildUsageId(key, month) }, { projection: { used: 1 } }))?.used ?? 0
  }

  async charge(charge: Charge): Promise<number | null> {
    if (charge.quota <= 0) return null // No document is created in this case.
    return this.#charges.charge(charge)
  }

  async touch({ key, month, at }: KeyUse): Promise<number> {
    const update = { $max: { lastUsedAt: at }, $setOnInsert: { key, month, used: 0 } }
    const options = { returnDocument: 'after', maxTimeMS: this.#maxTimeMS, projection: { used: 1 } } as const
    const filter = { _id: buildUsageId(key, month) }
    try {
      return (await this.#usage.findOneAndUpdate(filter, update, { ...options, upsert: true }))?.used ?? 0
    } catch (error) {
      // Another request has just inserted the document.
      if (!isDuplicate(error)) throw error
      return (await this.#usage.findOneAndUpdate(filter, update, options))?.used ?? 0
    }
  }

  async lastUsed(key: string): Promise<Date | null> {
    const [last] = await this.#usage.find({ key }).sort({ lastUsedAt: -1 }).limit(1).toArray()
    return last?.lastUsedAt ?? null
  }
}
