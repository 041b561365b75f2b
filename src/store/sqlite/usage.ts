import type Database from 'libsql'
import { readMonth } from '../read-month.ts'
import type { Charge, CounterUse, DayUsage, MonthUsage, UsageStore } from '../types.ts'
import { SqliteCharges } from './charges.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'

interface UsedRow {
  readonly used: number
}

interface MonthRow extends Omit<MonthUsage, 'lastUsedAt'> {
  readonly lastUsedAt: number
}

function toMonthUsage(row: MonthRow): MonthUsage {
  return { ...row, lastUsedAt: new Date(row.lastUsedAt) }
}

/** The tables of charged requests by counter and month, and by counter and day. Their column `key` contains the counter. */
export class SqliteUsage implements UsageStore {
  readonly #connection: SqliteConnection
  readonly #sql: UsageStatements
  readonly #charges: SqliteCharges

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepareUsage(connection.db)
    this.#charges = new SqliteCharges(connection.writer, (charge, count) => addCharges(this.#sql, charge, count))
  }

  usedBy(counter: string, month: string): Promise<number> {
    return this.#connection.read(() => this.#readUsed(counter, month))
  }

  async charge(charge: Charge): Promise<number | null> {
    readMonth(charge.day) // Checked here, so that an invalid day does not fail the charges it would be written with.
    return this.#charges.charge(charge)
  }

  async touch({ counter, day, at }: CounterUse): Promise<number> {
    const month = readMonth(day)
    return this.#connection.writer.enqueue(
      () => readFirstRow<UsedRow>(this.#sql.touch, counter, month, at.getTime())?.used ?? 0,
    )
  }

  lastUsed(counter: string): Promise<Date | null> {
    return this.#connection.read(() => {
      const at = readFirstRow<{ readonly at: number | null }>(this.#sql.lastUsed, counter)?.at ?? null
      return at === null ? null : new Date(at)
    })
  }

  listMonths(counters: readonly string[], since: string): Promise<readonly MonthUsage[]> {
    return this.#connection.read(() => {
      return (this.#sql.listMonths.all(JSON.stringify(counters), since) as MonthRow[]).map(toMonthUsage)
    })
  }

  listMonth(month: string): Promise<readonly MonthUsage[]> {
    return this.#connection.read(() => (this.#sql.listMonth.all(month) as MonthRow[]).map(toMonthUsage))
  }

  listDays(counters: readonly string[], first: string, last = first): Promise<readonly DayUsage[]> {
    return this.#connection.read(
      () => this.#sql.listDays.all(JSON.stringify(counters), `${first}-01`, `${last}-31`) as DayUsage[],
    )
  }

  #readUsed(counter: string, month: string): number {
    return readFirstRow<UsedRow>(this.#sql.used, counter, month)?.used ?? 0
  }
}

/**
 * Charges as many of `count` charges of equal size as the quota allows, each completely or not at all. Runs inside a transaction.
 * @returns the number of requests charged before; at least the quota if it was used up
 */
export function addCharges(
  sql: UsageStatements,
  { counter, day, quota, at, count: size = 1 }: Charge,
  count: number,
): number {
  const month = readMonth(day)
  const known = count * size === 1 ? undefined : (readFirstRow<UsedRow>(sql.used, counter, month)?.used ?? 0)
  const fitting = size === 1 ? count : Math.min(count, Math.floor((quota - (known ?? 0)) / size))
  if (fitting <= 0) return known ?? quota
  const total = fitting * size
  const values = [counter, month, total, quota, at.getTime(), quota, total, quota, quota]
  const after = readFirstRow<UsedRow>(sql.add, ...values)?.used
  if (after === undefined) return known ?? quota
  const before = known ?? after - 1
  sql.addDay.run(counter, day, after - before)
  return before
}

/** The prepared statements of the tables of usage. */
export type UsageStatements = Readonly<
  Record<'used' | 'add' | 'addDay' | 'touch' | 'lastUsed' | 'listMonths' | 'listMonth' | 'listDays', Database.Statement>
>

const SELECT_MONTHS = 'SELECT key AS counter, month, used, last_used_at AS lastUsedAt FROM usage'

export function prepareUsage(db: Database.Database): UsageStatements {
  return {
    used: db.prepare('SELECT used FROM usage WHERE key = ? AND month = ?'),
    add: db.prepare(
      `INSERT INTO usage (key, month, used, last_used_at) SELECT ?, ?, min(?, ?), ? WHERE ? > 0
       ON CONFLICT (key, month) DO UPDATE
         SET used = min(used + ?, ?), last_used_at = max(last_used_at, excluded.last_used_at) WHERE used < ?
       RETURNING used`,
    ),
    addDay: db.prepare(
      'INSERT INTO usage_days VALUES (?, ?, ?) ON CONFLICT (key, day) DO UPDATE SET used = used + excluded.used',
    ),
    touch: db.prepare(
      `INSERT INTO usage (key, month, used, last_used_at) VALUES (?, ?, 0, ?)
       ON CONFLICT (key, month) DO UPDATE SET last_used_at = max(last_used_at, excluded.last_used_at)
       RETURNING used`,
    ),
    lastUsed: db.prepare('SELECT max(last_used_at) AS at FROM usage WHERE key = ?'),
    listMonths: db.prepare(`${SELECT_MONTHS} WHERE key IN (SELECT value FROM json_each(?)) AND month >= ?`),
    listMonth: db.prepare(`${SELECT_MONTHS} WHERE month = ?`),
    listDays: db.prepare(
      'SELECT key AS counter, day, used FROM usage_days WHERE key IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ?',
    ),
  }
}
