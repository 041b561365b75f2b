import type Database from 'libsql'
import type { Charge, KeyUse, UsageStore } from '../types.ts'
import { SqliteCharges } from './charges.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'

interface UsedRow {
  readonly used: number
}

/** The table of charged requests by key and month. */
export class SqliteUsage implements UsageStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>
  readonly #charges: SqliteCharges

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
    this.#charges = new SqliteCharges(connection.writer, (charge, count) => this.#add(charge, count))
  }

  usedBy(key: string, month: string): Promise<number> {
    return this.#connection.read(() => this.#readUsed(key, month))
  }

  charge(charge: Charge): Promise<number | null> {
    return this.#charges.charge(charge)
  }

  touch({ key, month, at }: KeyUse): Promise<number> {
    return this.#connection.writer.enqueue(
      () => readFirstRow<UsedRow>(this.#sql.touch, key, month, at.getTime())?.used ?? 0,
    )
  }

  lastUsed(key: string): Promise<Date | null> {
    return this.#connection.read(() => {
      const at = readFirstRow<{ readonly at: number | null }>(this.#sql.lastUsed, key)?.at ?? null
      return at === null ? null : new Date(at)
    })
  }

  #readUsed(key: string, month: string): number {
    return readFirstRow<UsedRow>(this.#sql.used, key, month)?.used ?? 0
  }

  /**
   * Charges as many of `count` requests as the quota allows. Runs inside a transaction.
   * @returns the number of requests charged before; at least the quota if it was used up
   */
  #add({ key, month, quota, at }: Charge, count: number): number {
    const before = count === 1 ? undefined : this.#readUsed(key, month)
    const values = [key, month, count, quota, at.getTime(), quota, count, quota, quota]
    const after = readFirstRow<UsedRow>(this.#sql.add, ...values)?.used
    return before ?? (after === undefined ? quota : after - 1)
  }
}

function prepare(db: Database.Database) {
  return {
    used: db.prepare('SELECT used FROM usage WHERE key = ? AND month = ?'),
    add: db.prepare(
      `INSERT INTO usage (key, month, used, last_used_at) SELECT ?, ?, min(?, ?), ? WHERE ? > 0
       ON CONFLICT (key, month) DO UPDATE
         SET used = min(used + ?, ?), last_used_at = max(last_used_at, excluded.last_used_at) WHERE used < ?
       RETURNING used`,
    ),
    touch: db.prepare(
      `INSERT INTO usage (key, month, used, last_used_at) VALUES (?, ?, 0, ?)
       ON CONFLICT (key, month) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)
       RETURNING used`,
    ),
    lastUsed: db.prepare('SELECT max(last_used_at) AS at FROM usage WHERE key = ?'),
  }
}
