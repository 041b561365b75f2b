import type Database from 'libsql'
import { makeRandomText } from '../../keys/key.ts'
import { findFreeSlot } from '../free-slot.ts'
import type { KeySlot } from '../types.ts'
import { readFirstRow } from './connection.ts'

/** The table of slots. All methods that write run inside a transaction. */
export class SqliteSlots {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: Database.Database) {
    this.#sql = prepare(db)
  }

  list(account?: string): KeySlot[] {
    return (account === undefined ? this.#sql.listAll.all() : this.#sql.list.all(account)) as KeySlot[]
  }

  /** The slots of an account in which there are keys. */
  listOccupied(account: string): number[] {
    return (this.#sql.listOccupied.all(account) as { readonly slot: number }[]).map(({ slot }) => slot)
  }

  /** Finds the lowest slot that has never had a key. */
  findUnused(account: string): number {
    return findFreeSlot([...this.listOccupied(account), ...this.list(account).map(({ slot }) => slot)])
  }

  /** Finds the counter of a slot. The first key of a slot gives it its id. */
  takeCounter(key: string, account: string, slot: number): string {
    const known = readFirstRow<{ readonly counter: string }>(this.#sql.find, account, slot)?.counter
    if (known !== undefined) return known
    // A form that is sent again after its key was deleted creates a key with the id of the former one.
    const isTaken = readFirstRow(this.#sql.hasCounter, key) !== undefined
    const counter = isTaken ? `slot_${makeRandomText(16)}` : key
    this.#sql.insert.run(account, slot, counter)
    return counter
  }
}

function prepare(db: Database.Database) {
  return {
    list: db.prepare('SELECT account, slot, counter FROM slots WHERE account = ? ORDER BY slot'),
    listAll: db.prepare('SELECT account, slot, counter FROM slots ORDER BY account, slot'),
    listOccupied: db.prepare('SELECT slot FROM keys WHERE account = ? AND slot IS NOT NULL'),
    find: db.prepare('SELECT counter FROM slots WHERE account = ? AND slot = ?'),
    hasCounter: db.prepare('SELECT 1 FROM slots WHERE counter = ?'),
    insert: db.prepare('INSERT INTO slots (account, slot, counter) VALUES (?, ?, ?)'),
  }
}
