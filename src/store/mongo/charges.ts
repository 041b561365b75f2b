import type { Collection } from 'mongodb'
import { loopAwareTimeout } from '../../async/loop-aware-timeout.ts'
import { type Charge, StoreError } from '../types.ts'
import { isDuplicate, storeFault } from './errors.ts'
import type { UsageDocument } from './schema.ts'

interface Waiting {
  readonly charge: Charge
  /** On the clock of `loopAwareTimeout`. */
  readonly since: number
  readonly resolve: (count: number | null) => void
  readonly reject: (error: unknown) => void
}

export interface ChargeTimes {
  /** Milliseconds after which a charge that waits for the one before it is not sent any more, and a sent one is given up. */
  readonly queueMs: number
  /** Milliseconds after which the server gives up a charge that it has not carried out. Less than `queueMs`. */
  readonly maxTimeMS: number
}

/**
 * Charges of one key go one update after another, each with all that came meanwhile: many at once on one document make
 * MongoDB try again and again (measured with 100 at once: 1,087 charges a second and 307 ms for the slowest; like this
 * 20,899 and 26 ms).
 */
export class MongoCharges {
  readonly #usage: Collection<UsageDocument>
  readonly #times: ChargeTimes
  /** By document and quota; a list stands here as long as an update is due or under way. */
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(usage: Collection<UsageDocument>, times: ChargeTimes) {
    this.#usage = usage
    this.#times = times
  }

  /** @returns requests with this one; null when the quota is used up, and nothing was charged */
  charge(charge: Charge): Promise<number | null> {
    const group = `${charge.quota} ${idOf(charge.key, charge.month)}`
    return new Promise((resolve, reject) => {
      const one: Waiting = { charge, since: loopAwareTimeout.now, resolve, reject }
      const others = this.#waiting.get(group)
      if (others !== undefined) return void others.push(one)
      this.#waiting.set(group, [one])
      setImmediate(() => void this.#empty(group)) // All that this turn brings goes with it.
    })
  }

  /** Never rejects: each one that waits is told. */
  async #empty(group: string): Promise<void> {
    for (let batch = this.#waiting.get(group) ?? []; batch.length > 0; batch = this.#waiting.get(group) ?? []) {
      this.#waiting.set(group, [])
      await this.#settle(group, batch)
    }
    this.#waiting.delete(group)
  }

  async #settle(group: string, all: readonly Waiting[]): Promise<void> {
    const { queueMs } = this.#times
    const oldest = loopAwareTimeout.now - queueMs
    for (const { reject } of all.filter(({ since }) => since < oldest))
      reject(new StoreError('a charge waited too long to be sent'))
    const batch = all.filter(({ since }) => since >= oldest)
    if (batch.length === 0) return
    try {
      const { quota } = batch[0].charge
      const added = this.#add(batch.map(({ charge }) => charge))
      // The driver may not answer at all (see `mongo-link.ts`): the charges behind must not wait for that.
      const before = await loopAwareTimeout.limit(added, queueMs, () => new StoreError('a charge was not answered'))
      for (const [i, { resolve }] of batch.entries()) resolve(before + i < quota ? before + i + 1 : null)
    } catch (error) {
      for (const { reject } of batch) reject(error)
      const fault = storeFault(error)
      if (fault instanceof StoreError) this.#rejectWaiting(group, fault)
    }
  }

  /** Charges behind one that failed are not sent: each would wait for the same fault, and might be carried out unanswered. */
  #rejectWaiting(group: string, cause: StoreError): void {
    const behind = this.#waiting.get(group) ?? []
    this.#waiting.set(group, [])
    for (const { reject } of behind) reject(new StoreError('the charge before it failed', { cause }))
  }

  /**
   * Adds as many as the quota lets through.
   * @param charges of one key, month and quota
   * @returns what was used before
   */
  async #add(charges: readonly Charge[]): Promise<number> {
    const [{ key, month, quota }] = charges
    const at = new Date(Math.max(...charges.map((charge) => charge.at.getTime())))
    const used = { $ifNull: ['$used', 0] }
    const change = {
      ...{ key: { $literal: key }, month: { $literal: month } },
      used: { $max: [used, { $min: [{ $add: [used, charges.length] }, quota] }] },
      lastUsedAt: { $cond: [{ $lt: [used, quota] }, { $max: ['$lastUsedAt', at] }, '$lastUsedAt'] },
    }
    const { maxTimeMS } = this.#times
    const options = { returnDocument: 'before', maxTimeMS, projection: { used: 1 } } as const
    const update = (upsert: boolean) =>
      this.#usage.findOneAndUpdate({ _id: idOf(key, month) }, [{ $set: change }], { ...options, upsert })
    try {
      return (await update(true))?.used ?? 0
    } catch (error) {
      // Another process has just inserted it.
      if (!isDuplicate(error)) throw error
      return (await update(false))?.used ?? 0
    }
  }
}

/** The document of a key's use in a month. */
export function idOf(key: string, month: string): string {
  return `${key}:${month}`
}
