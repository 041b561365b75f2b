import type { Charge } from '../types.ts'
import type { SqliteWriter } from './writer.ts'

/** Charges of one counter, day, quota and size that have not been written yet. */
interface ChargeGroup {
  /** Number of charges. */
  count: number
  /** The time of the latest charge. */
  at: Date
  /** The number of requests charged before the first one of the group. */
  readonly before: Promise<number>
}

/** Writes concurrent charges of one counter as a single update. */
export class SqliteCharges {
  readonly #writer: SqliteWriter
  readonly #add: (charge: Charge, count: number) => number
  /** Unwritten groups by counter, day, quota and size. */
  readonly #groups = new Map<string, ChargeGroup>()

  /** @param add writes as many charges of a group as the quota allows, inside a transaction, and returns the number of requests charged before */
  constructor(writer: SqliteWriter, add: (charge: Charge, count: number) => number) {
    this.#writer = writer
    this.#add = add
  }

  /** @returns the number of charged requests, including this one; null if the quota does not suffice and nothing was charged */
  async charge(charge: Charge): Promise<number | null> {
    const { group, place } = this.#join(charge)
    const before = await group.before
    const after = before + (place + 1) * (charge.count ?? 1)
    return after <= charge.quota ? after : null
  }

  #join(charge: Charge): { readonly group: ChargeGroup; readonly place: number } {
    const name = `${charge.quota} ${charge.day} ${charge.counter} ${charge.count ?? 1}`
    const open = this.#groups.get(name)
    if (open === undefined) {
      const close = (): unknown => this.#groups.get(name) === group && this.#groups.delete(name)
      const write = (): number => {
        close()
        return this.#add({ ...charge, at: group.at }, group.count)
      }
      const group: ChargeGroup = { count: 1, at: charge.at, before: this.#writer.enqueue(write) }
      this.#groups.set(name, group)
      group.before.catch(close) // If no transaction could begin, no more charges may join the group.
      return { group, place: 0 }
    }
    this.#writer.noteArrival()
    if (charge.at > open.at) open.at = charge.at
    return { group: open, place: open.count++ }
  }
}
