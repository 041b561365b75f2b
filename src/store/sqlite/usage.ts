import type Database from 'libsql'
import type { Charge } from '../types.ts'
import { firstRow } from './row.ts'

interface Used {
  readonly used: number
}

/** The table of requests that keys were charged for, by month. */
export class SqliteUsage {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: Database.Database) {
    this.#sql = prepare(db)
  }

  usedBy(key: string, month: string): number {
    return firstRow<Used>(this.#sql.used, key, month)?.used ?? 0
  }

  /**
   * Charges as many as the quota lets through. Needs a transaction around it.
   * @returns what was used before, the quota where that is not known and not less
   */
  add({ key, month, quota, at }: Charge, count: number): number {
    const before = count === 1 ? undefined : this.usedBy(key, month)
    const after = firstRow<Used>(
      this.#sql.add,
      key,
      month,
      count,
      quota,
      at.getTime(),
      quota,
      count,
      quota,
      quota,
    )?.used
    return before ?? (after === undefined ? quota : after - 1)
  }

  touch({ key, month, at }: Omit<Charge, 'quota'>): number {
    return firstRow<Used>(this.#sql.touch, key, month, at.getTime())?.used ?? 0
  }

  lastUsed(key: string): Date | null {
    const at = firstRow<{ readonly at: number | null }>(this.#sql.lastUsed, key)?.at ?? null
    return at === null ? null : new Date(at)
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
