import type Database from 'libsql'
import type { Batch } from '../batch-types.ts'
import type { Row, StoreTransfer, TableName } from '../transfer.ts'
import { readFirstRow } from './connection.ts'
import { openDatabase } from './database.ts'

/** Rows that are read in one query. */
const PAGE_ROWS = 1000

const toIso = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`
const toBoolean = (column: string): string => `json(iif(${column}, 'true', 'false'))`

/** Builds the query of a table: one JSON text for each row. `fields` contains names, each with its SQL unless it is a column. */
function select(from: string, order: string, fields: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(fields).map(([name, sql]) => `'${name}', ${sql ?? name}`)
  return `SELECT json_object(${pairs.join(', ')}) AS json FROM ${from} ORDER BY ${order} LIMIT ? OFFSET ?`
}

const READ: Readonly<Record<TableName, string>> = {
  values: select('words', 'name', { name: null, value: null }),
  accounts: select('accounts', 'id', {
    ...{ id: null, name: null, email: null, emailVerified: toBoolean('emailVerified'), image: null },
    ...{ createdAt: null, updatedAt: null, plan: null, suspendedAt: null },
  }),
  credentials: select('credentials', 'id', {
    ...{ id: null, accountId: null, providerId: null, userId: null, password: null, createdAt: null, updatedAt: null },
  }),
  invites: select('invites', 'hash', { hash: null, expiresAt: toIso('expires_at') }),
  scans: select('scans', 'id', { id: null, account: null, url: null, builder: null, at: toIso('at'), entry: null }),
  audit: select('audit', 'place', {
    ...{ at: toIso('at'), action: null, actor: null, account: null, key: null, detail: null, command: null },
    ...{ machine: null, firstAt: toIso('first_at'), count: null },
  }),
  batches: select("(SELECT * FROM batches WHERE status <> 'loading')", 'id', {
    ...{ id: null, key: null, counter: null, account: null, status: null, total: null },
    ...{ createdAt: toIso('created_at'), startedAt: toIso('started_at'), finishedAt: toIso('finished_at') },
    ...{ idempotencyKey: 'json(idempotency_key)', details: null },
  }),
  batchItems: select('batch_items', 'batch, position', {
    ...{ batch: null, position: null, turn: null, url: 'json(url)', state: null, tries: null, code: null },
    content: 'json(content)',
  }),
  usage: select('usage', 'key, month', {
    ...{ key: null, month: null, used: null, lastUsedAt: toIso('last_used_at') },
    days: `json((SELECT json_group_object(substr(day, 9), usage_days.used) FROM usage_days
       WHERE usage_days.key = usage.key AND day BETWEEN usage.month || '-01' AND usage.month || '-31'))`,
  }),
  slots: select('slots', 'account, slot', { account: null, slot: null, counter: null }),
  keys: select('keys', 'id', {
    ...{ id: null, name: null, email: null, plan: null, revision: null, account: null, slot: null, counter: null },
    ...{ createdAt: toIso('created_at'), revokedAt: toIso('revoked_at'), suspendedAt: toIso('suspended_at') },
    ...{ expiresAt: toIso('expires_at'), perMinute: 'per_minute', perMonth: 'per_month' },
    secrets: `json((SELECT json_group_array(json_object(
       'hash', hash, 'lastFour', last_four, 'expiresAt', ${toIso('expires_at')}, 'pepper', pepper) ORDER BY place DESC
     ) FROM secrets WHERE secrets.key = keys.id))`,
  }),
}

/**
 * Opens the embedded store as a server does, so that no server can start meanwhile.
 * @throws SetupError if it cannot be opened
 */
export function openSqliteTransfer(folder: string): StoreTransfer {
  const connection = openDatabase({ folder, role: 'server', lockedAdvice: 'stop it, then try again' })
  const { db } = connection
  return {
    findExportProblem: async () => null,
    read: (table) => readTable(db, table),
    isEmpty: () =>
      connection.read(() =>
        ['accounts', 'keys', 'usage'].every(
          (table) => readFirstRow(db.prepare(`SELECT 1 FROM ${table} LIMIT 1`)) === undefined,
        ),
      ),
    write: (table, rows) =>
      connection.write(() => {
        const write = buildWriter(db, table)
        for (const row of rows) write(row)
      }),
    close: async () => connection.close(),
  }
}

function* readTable(db: Database.Database, table: TableName): Generator<Row> {
  const statement = db.prepare(READ[table])
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const rows = statement.all(PAGE_ROWS, offset) as { readonly json: string }[]
    for (const { json } of rows) yield JSON.parse(json) as Row
    if (rows.length < PAGE_ROWS) return
  }
}

type RowWriter = (row: Row) => void

const toMs = (value: Row[string]): number | null => (value === null ? null : Date.parse(`${value}`))

/** Prepares the statements that write a row. They run inside a transaction. */
function buildWriter(db: Database.Database, table: TableName): RowWriter {
  if (table === 'usage') return buildUsageWriter(db)
  if (table === 'keys') return buildKeyWriter(db)
  if (table === 'batches') return buildBatchWriter(db)
  if (table === 'batchItems') return buildItemWriter(db)
  const insert = (name: string, columns: readonly string[], read: (row: Row) => readonly unknown[]): RowWriter => {
    const places = columns.map(() => '?').join()
    const statement = db.prepare(`INSERT OR REPLACE INTO ${name} (${columns.join()}) VALUES (${places})`)
    return (row) => void statement.run(...read(row))
  }
  const plain = (name: string, columns: readonly string[], times: readonly string[] = []): RowWriter =>
    insert(name, columns, (row) =>
      columns.map((column) => {
        const value = row[column]
        return times.includes(column) ? toMs(value) : typeof value === 'boolean' ? Number(value) : value
      }),
    )
  if (table === 'values') return plain('words', ['name', 'value'])
  if (table === 'invites') return insert('invites', ['hash', 'expires_at'], (row) => [row.hash, toMs(row.expiresAt)])
  const columns = {
    accounts: 'id name email emailVerified image createdAt updatedAt plan suspendedAt',
    credentials: 'id accountId providerId userId password createdAt updatedAt',
    scans: 'id account url builder at entry',
    audit: 'at action actor account key detail command machine first_at count',
    slots: 'account slot counter',
  }[table]
  const write = plain(table, columns.split(' '), ['at', 'first_at'])
  // Exports of earlier versions lack both.
  return table === 'audit' ? (row) => write({ ...row, first_at: row.firstAt ?? null, count: row.count ?? 1 }) : write
}

function buildUsageWriter(db: Database.Database): RowWriter {
  const month = db.prepare('INSERT INTO usage (key, month, used, last_used_at) VALUES (?, ?, ?, ?)')
  const day = db.prepare('INSERT INTO usage_days (key, day, used) VALUES (?, ?, ?)')
  return (row) => {
    month.run(row.key, row.month, row.used, toMs(row.lastUsedAt))
    for (const [name, used] of Object.entries(row.days ?? {})) day.run(row.key, `${row.month}-${name}`, used)
  }
}

function buildKeyWriter(db: Database.Database): RowWriter {
  const insert = db.prepare(
    `INSERT INTO keys (
       id, name, email, plan, revision, account, slot, counter, created_at, revoked_at, suspended_at, expires_at, per_minute,
       per_month
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const secret = db.prepare('INSERT INTO secrets (key, hash, last_four, expires_at, pepper) VALUES (?, ?, ?, ?, ?)')
  return (row) => {
    // Exports of earlier versions have no counters: the next start assigns them.
    const { id, name, email, plan, revision, account, slot, counter = null, perMinute, perMonth } = row
    const times = [row.createdAt, row.revokedAt, row.suspendedAt, row.expiresAt].map(toMs)
    insert.run(id, name, email, plan, revision, account, slot, counter, ...times, perMinute, perMonth)
    for (const one of (row.secrets as readonly Row[]).toReversed())
      secret.run(id, one.hash, one.lastFour, toMs(one.expiresAt), one.pepper)
  }
}

const toJson = (value: Row[string]): string | null => (value === null ? null : JSON.stringify(value))

function buildBatchWriter(db: Database.Database): RowWriter {
  const insert = db.prepare(
    `INSERT INTO batches (
       id, key, counter, account, status, total, first_seq, created_at, started_at, finished_at, webhook_at, idempotency_key, details
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (row) => {
    const { id, key, counter, account, status, total, details } = row
    const { webhook } = JSON.parse(`${details}`) as Pick<Batch, 'webhook'>
    const times = [...[row.createdAt, row.startedAt, row.finishedAt].map(toMs), webhook?.nextAt ?? null]
    insert.run(id, key, counter, account, status, total, total, ...times, toJson(row.idempotencyKey), details)
  }
}

/** After an import the results are in the order of the list. */
function buildItemWriter(db: Database.Database): RowWriter {
  const insert = db.prepare(
    'INSERT INTO batch_items (batch, position, turn, url, state, tries, seq, code, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  return ({ batch, position, turn, url, state, tries, code, content }) => {
    const seq = state === 'waiting' ? null : Number(position) + 1
    insert.run(batch, position, turn, toJson(url), state, tries, seq, code, toJson(content))
  }
}
