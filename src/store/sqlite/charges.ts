import type { Charge } from '../types.ts'
import type { SqliteUsage } from './usage.ts'
import type { SqliteWriter } from './writer.ts'

interface Group {
  count: number
  /** The latest. */
  at: Date
  /** What was used before the first of them. */
  readonly before: Promise<number>
}

/** Charges of one key that come together are written as one. */
export class SqliteCharges {
  readonly #usage: SqliteUsage
  readonly #writer: SqliteWriter
  /** By key, month and quota; a group stands here until it is written. */
  readonly #groups = new Map<string, Group>()

  constructor(usage: SqliteUsage, writer: SqliteWriter) {
    this.#usage = usage
    this.#writer = writer
  }

  /** @returns requests with this one; null when the quota is used up, and nothing was charged */
  async charge(charge: Charge): Promise<number | null> {
    const { group, place } = this.#join(charge)
    const before = await group.before
    return before + place < charge.quota ? before + place + 1 : null
  }

  #join(charge: Charge): { readonly group: Group; readonly place: number } {
    const name = `${charge.quota} ${charge.month} ${charge.key}`
    const open = this.#groups.get(name)
    if (open === undefined) {
      const close = (): unknown => this.#groups.get(name) === group && this.#groups.delete(name)
      const write = (): number => {
        close()
        return this.#usage.add({ ...charge, at: group.at }, group.count)
      }
      const group: Group = { count: 1, at: charge.at, before: this.#writer.later(write) }
      this.#groups.set(name, group)
      group.before.catch(close) // Where no transaction began, nobody may join any more.
      return { group, place: 0 }
    }
    this.#writer.noteMore()
    if (charge.at > open.at) open.at = charge.at
    return { group: open, place: open.count++ }
  }
}
