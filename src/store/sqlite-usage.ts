import type Database from 'libsql'
import { firstRow } from './sqlite-row.ts'
import type { Charge } from './types.ts'

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

  /** @returns null when the quota is used up, and nothing was charged */
  charge({ key, month, quota, at }: Charge): number | null {
    return firstRow<Used>(this.#sql.charge, key, month, at.getTime(), quota, quota)?.used ?? null
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
    charge: db.prepare(
      `INSERT INTO usage (key, month, used, last_used_at) SELECT ?, ?, 1, ? WHERE ? > 0
       ON CONFLICT (key, month) DO UPDATE
         SET used = used + 1, last_used_at = max(last_used_at, excluded.last_used_at) WHERE used < ?
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
