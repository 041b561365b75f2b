import type Database from 'libsql'
import type { AuditEntry } from '../../accounts/audit.ts'
import { type AuditQuery, type AuditStore, MAX_AUDIT_ENTRIES } from '../types.ts'
import type { SqliteConnection } from './connection.ts'

interface AuditRow extends Omit<AuditEntry, 'at'> {
  readonly at: number
}

/** The table of audit entries. */
export class SqliteAudit implements AuditStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
  }

  addAudit({ at, action, actor, account, key, detail, command, machine }: AuditEntry): Promise<void> {
    return this.#connection.write(() => {
      this.#sql.add.run(at.getTime(), action, actor, account, key, detail, command, machine)
      this.#sql.prune.run(account, account, MAX_AUDIT_ENTRIES)
    })
  }

  listAudit({ account, since, limit }: AuditQuery): Promise<readonly AuditEntry[]> {
    return this.#connection.read(() => {
      const from = since?.getTime() ?? Number.MIN_SAFE_INTEGER
      const rows = account === null ? this.#sql.listAll.all(from, limit) : this.#sql.list.all(account, from, limit)
      return (rows as { readonly json: string }[]).map(({ json }) => {
        const row = JSON.parse(json) as AuditRow
        return { ...row, at: new Date(row.at) }
      })
    })
  }
}

function prepare(db: Database.Database) {
  // Read as JSON, because the binding ends a text column at its first NUL.
  const entry = `SELECT json_object(
      'at', at, 'action', action, 'actor', actor, 'account', account, 'key', key, 'detail', detail,
      'command', command, 'machine', machine
    ) AS json FROM audit`
  return {
    add: db.prepare(
      'INSERT INTO audit (at, action, actor, account, key, detail, command, machine) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    prune: db.prepare(
      `DELETE FROM audit WHERE account IS ? AND place <= (
         SELECT place FROM audit WHERE account IS ? ORDER BY place DESC LIMIT 1 OFFSET ?
       )`,
    ),
    list: db.prepare(`${entry} WHERE account = ? AND at >= ? ORDER BY place DESC LIMIT ?`),
    listAll: db.prepare(`${entry} WHERE at >= ? ORDER BY place DESC LIMIT ?`),
  }
}
