import type Database from 'libsql'
import { type AuditRule, findAuditRule, MAX_HARMLESS_ENTRIES, toMerged } from '../audit-rule.ts'
import type { AuditEntry, AuditEvent } from '../audit-types.ts'
import type { AuditQuery, AuditStore } from '../types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'

interface AuditRow extends Omit<AuditEntry, 'at' | 'firstAt'> {
  readonly at: number
  readonly firstAt: number | null
}

interface MergedRow {
  readonly place: number
  readonly firstAt: number
  readonly count: number
}

/** The table of audit entries. */
export class SqliteAudit implements AuditStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
  }

  addAudit(event: AuditEvent): Promise<void> {
    const rule = findAuditRule(event)
    return this.#connection.write(() => {
      const { account, action } = event
      if (this.#isAlone(event, rule)) this.#add(event, { firstAt: null, count: 1 })
      else this.#merge(toMerged(event, rule), rule)
      if (rule.isHarmless) this.#sql.prune.run(account, action, account, action, MAX_HARMLESS_ENTRIES)
    })
  }

  listAudit({ account, actions = [], since, limit = -1 }: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.#connection.read(() => {
      const from = since?.getTime() ?? Number.MIN_SAFE_INTEGER
      const values = [from, actions.length, JSON.stringify(actions), limit]
      const rows = account === null ? this.#sql.listAll.all(...values) : this.#sql.list.all(account, ...values)
      return (rows as { readonly json: string }[]).map(({ json }) => {
        const row = JSON.parse(json) as AuditRow
        return { ...row, at: new Date(row.at), firstAt: row.firstAt === null ? null : new Date(row.firstAt) }
      })
    })
  }

  deleteAudit(before: Date): Promise<void> {
    return this.#connection.write(() => void this.#sql.deleteOld.run(before.getTime()))
  }

  /** Whether an event gets an entry of its own. */
  #isAlone({ account, action, actor }: AuditEvent, { maxPerDay, day: [from, until] }: AuditRule): boolean {
    if (maxPerDay === null) return true
    const values = [account, action, from.getTime(), until.getTime(), actor]
    return (readFirstRow<{ readonly total: number }>(this.#sql.count, ...values)?.total ?? 0) < maxPerDay
  }

  /** The entry of a merged event moves to the end of the table, which is in the order of time. */
  #merge(event: AuditEvent, { day: [from, until] }: AuditRule): void {
    const { account, action, actor, key } = event
    const values = [account, action, from.getTime(), until.getTime(), actor, key]
    const found = readFirstRow<MergedRow>(this.#sql.findMerged, ...values)
    if (found !== undefined) this.#sql.delete.run(found.place)
    const { firstAt, count } = found ?? { firstAt: event.at.getTime(), count: 0 }
    this.#add(event, { firstAt, count: count + 1 })
  }

  #add(
    { at, action, actor, account, key, detail, command, machine }: AuditEvent,
    { firstAt, count }: Pick<AuditRow, 'firstAt' | 'count'>,
  ): void {
    this.#sql.add.run(at.getTime(), action, actor, account, key, detail, command, machine, firstAt, count)
  }
}

const COLUMNS = 'at, action, actor, account, key, detail, command, machine, first_at, count'
const OF_DAY = 'account IS ? AND action = ? AND at >= ? AND at < ? AND actor IS ?'

function prepare(db: Database.Database) {
  // Read as JSON, because the binding ends a text column at its first NUL.
  const entry = `SELECT json_object(
      'at', at, 'action', action, 'actor', actor, 'account', account, 'key', key, 'detail', detail,
      'command', command, 'machine', machine, 'firstAt', iif(count > 1, first_at, NULL), 'count', count
    ) AS json FROM audit`
  const selected = 'at >= ? AND (? = 0 OR action IN (SELECT value FROM json_each(?))) ORDER BY place DESC LIMIT ?'
  return {
    add: db.prepare(`INSERT INTO audit (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    count: db.prepare(`SELECT count(*) AS total FROM audit WHERE ${OF_DAY} AND first_at IS NULL`),
    findMerged: db.prepare(
      `SELECT place, first_at AS firstAt, count FROM audit
       WHERE ${OF_DAY} AND key IS ? AND first_at IS NOT NULL LIMIT 1`,
    ),
    delete: db.prepare('DELETE FROM audit WHERE place = ?'),
    deleteOld: db.prepare('DELETE FROM audit WHERE at < ?'),
    prune: db.prepare(
      `DELETE FROM audit WHERE account IS ? AND action = ? AND first_at IS NOT NULL AND place <= (
         SELECT place FROM audit WHERE account IS ? AND action = ? AND first_at IS NOT NULL
         ORDER BY place DESC LIMIT 1 OFFSET ?
       )`,
    ),
    list: db.prepare(`${entry} WHERE account = ? AND ${selected}`),
    listAll: db.prepare(`${entry} WHERE ${selected}`),
  }
}
