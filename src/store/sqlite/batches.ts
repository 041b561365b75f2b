import type Database from 'libsql'
import {
  type Batch,
  type BatchChange,
  type BatchCounts,
  type BatchLine,
  type BatchPart,
  type BatchQuery,
  type BatchStatus,
  type BatchStore,
  type BatchUrl,
  COUNTED_STATUSES,
  type ItemCharge,
  type ItemOutcome,
  OPEN_STATUSES,
  type PartQuery,
} from '../batch-types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'
import { addCharges, prepareUsage, type UsageStatements } from './usage.ts'

/** Fields of a batch, stored as JSON: the binding ends a text column at its first NUL. */
type Details = Pick<Batch, 'include' | 'fresh' | 'webhook' | 'fingerprint' | 'reason'>

interface BatchRow {
  readonly id: string
  readonly key: string
  readonly counter: string
  readonly account: string | null
  readonly status: BatchStatus | 'loading'
  readonly total: number
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly idempotencyKey: string | null
  readonly details: string
}

interface LineRow {
  readonly seq: number
  readonly position: number
  readonly url: string
  readonly code: string | null
  readonly content: string
}

const toDate = (at: number | null): Date | null => (at === null ? null : new Date(at))

function parseBatch({ createdAt, startedAt, finishedAt, idempotencyKey, details, status, ...row }: BatchRow): Batch {
  return {
    ...row,
    idempotencyKey: idempotencyKey === null ? null : (JSON.parse(idempotencyKey) as string),
    status: status === 'loading' ? 'waiting' : status,
    ...(JSON.parse(details) as Details),
    createdAt: new Date(createdAt),
    startedAt: toDate(startedAt),
    finishedAt: toDate(finishedAt),
  }
}

function formatDetails({ include, fresh, webhook, fingerprint, reason }: Details): string {
  return JSON.stringify({ include, fresh, webhook, fingerprint, reason })
}

/** URLs that are deleted in one transaction, so that no request waits long for it. */
const DELETED_ROWS = 2000

/** The tables of batches and their URLs. An outcome and its charge share one transaction. */
export class SqliteBatches implements BatchStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>
  readonly #usage: UsageStatements

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
    this.#usage = prepareUsage(connection.db)
  }

  createBatch(batch: Batch, maxOpen: number): Promise<{ batch: Batch; isNew: boolean; isOpen: boolean } | null> {
    return this.#connection.write(() => {
      const { id, key, counter, account, total, createdAt, idempotencyKey } = batch
      const former =
        idempotencyKey === null
          ? undefined
          : readFirstRow<BatchRow>(this.#sql.findRepeated, counter, JSON.stringify(idempotencyKey))
      if (former !== undefined) return { batch: parseBatch(former), isNew: false, isOpen: former.status !== 'loading' }
      if (this.#countOpen(counter) >= maxOpen) return null
      const name = idempotencyKey === null ? null : JSON.stringify(idempotencyKey)
      this.#sql.insert.run(id, key, counter, account, total, createdAt.getTime(), name, formatDetails(batch))
      return { batch, isNew: true, isOpen: false }
    })
  }

  countOpen(counter: string): Promise<number> {
    return this.#connection.read(() => this.#countOpen(counter))
  }

  addUrls(id: string, urls: readonly BatchUrl[]): Promise<void> {
    return this.#connection.write(() => {
      for (const { position, url, turn } of urls) this.#sql.insertItem.run(id, position, turn, JSON.stringify(url))
    })
  }

  openBatch(id: string): Promise<boolean> {
    return this.#connection.write(() => {
      this.#sql.open.run(id)
      return this.#find(id) !== undefined
    })
  }

  getBatch(id: string): Promise<Batch | null> {
    return this.#connection.read(() => {
      const row = this.#find(id)
      return row === undefined ? null : parseBatch(row)
    })
  }

  listBatches({ counters, limit, before }: BatchQuery): Promise<readonly Batch[]> {
    return this.#connection.read(() => {
      const last = before === undefined ? undefined : this.#find(before)
      const values = last === undefined ? [Number.MAX_SAFE_INTEGER, ''] : [last.createdAt, last.id]
      return (this.#sql.list.all(JSON.stringify(counters), ...values, limit) as BatchRow[]).map(parseBatch)
    })
  }

  listOpenBatches(): Promise<readonly Batch[]> {
    return this.#connection.read(() => (this.#sql.listOpen.all() as BatchRow[]).map(parseBatch))
  }

  listFailedBatches(codes: readonly string[], limit: number): Promise<readonly Batch[]> {
    return this.#connection.read(() =>
      (this.#sql.listFailed.all(JSON.stringify(codes), limit) as BatchRow[]).map(parseBatch),
    )
  }

  listDueWebhooks(now: number): Promise<readonly Batch[]> {
    return this.#connection.read(() => (this.#sql.listDue.all(now) as BatchRow[]).map(parseBatch))
  }

  countItems(id: string): Promise<BatchCounts> {
    return this.#connection.read(() => {
      const rows = this.#sql.count.all(id) as { readonly state: string; readonly code: string; readonly n: number }[]
      const sum = (wanted: string): number =>
        rows.filter(({ state }) => state === wanted).reduce((all, { n }) => all + n, 0)
      const failed = rows.filter(({ state }) => state === 'failed')
      return {
        waiting: sum('waiting'),
        succeeded: sum('done'),
        failures: Object.fromEntries(failed.map(({ code, n }) => [code, n])),
      }
    })
  }

  listWaiting(id: string, { turn, position }: Pick<BatchUrl, 'turn' | 'position'>, limit: number): Promise<BatchUrl[]> {
    return this.#connection.read(() =>
      (this.#sql.listWaiting.all(id, turn, position, limit) as BatchUrl[]).map((row) => ({
        ...row,
        url: JSON.parse(row.url) as string,
      })),
    )
  }

  storeOutcome(
    { batch, position }: { readonly batch: string; readonly position: number },
    outcome: ItemOutcome,
    charge: ItemCharge | null,
  ): Promise<'stored' | 'already' | 'quota'> {
    return this.#connection.writer.enqueue(() => {
      if (readFirstRow(this.#sql.findWaiting, batch, position) === undefined) return 'already'
      if (charge !== null && addCharges(this.#usage, charge, 1) >= charge.quota) return 'quota'
      const [state, code, content] =
        'result' in outcome ? ['done', null, outcome.result] : ['failed', outcome.code, outcome.error]
      this.#sql.finish.run({ state, code, content: JSON.stringify(content), batch, position })
      return 'stored'
    })
  }

  countTry(batch: string, position: number): Promise<number> {
    return this.#connection.write(
      () => readFirstRow<{ readonly tries: number }>(this.#sql.countTry, batch, position)?.tries ?? 0,
    )
  }

  readPart(id: string, { after, limit }: PartQuery): Promise<BatchPart> {
    return this.#connection.read(() => {
      const rows = this.#sql.readPart.all(id, Number(after ?? 0), limit + 1) as LineRow[]
      const part = rows.slice(0, limit)
      return {
        lines: part.map(parseLine),
        cursor: String(part.at(-1)?.seq ?? after ?? 0),
        hasMore: rows.length > limit,
      }
    })
  }

  changeBatch(id: string, from: readonly BatchStatus[], change: BatchChange): Promise<boolean> {
    return this.#connection.write(() => {
      const row = this.#find(id)
      if (row === undefined || !from.includes(row.status as BatchStatus)) return false
      this.#update({ ...parseBatch(row), ...change })
      return true
    })
  }

  retryFailures(id: string, codes?: readonly string[]): Promise<number> {
    return this.#connection.write(() => {
      const row = this.#find(id)
      if (row === undefined) return 0
      const only = codes === undefined ? null : JSON.stringify(codes)
      this.#sql.raiseSeq.run(id, id)
      const count = this.#sql.retry.run(id, only, only).changes
      if (count > 0) this.#update({ ...parseBatch(row), status: 'waiting', reason: null, finishedAt: null })
      return count
    })
  }

  /** An outcome and its charge are one transaction: there is nothing to settle. */
  async listUnsettledBatches(): Promise<readonly Batch[]> {
    return []
  }

  async settleBatch(): Promise<void> {}

  deleteBatches({ before, unopened }: { readonly before: number; readonly unopened: number }): Promise<boolean> {
    return this.#connection.write(() => {
      const row = readFirstRow<{ readonly id: string }>(this.#sql.findOld, before, unopened)
      if (row === undefined) return false
      const { changes } = this.#sql.deleteItems.run(row.id, DELETED_ROWS)
      if (changes < DELETED_ROWS) this.#sql.delete.run(row.id)
      return true
    })
  }

  #find(id: string): BatchRow | undefined {
    return readFirstRow<BatchRow>(this.#sql.get, id)
  }

  #countOpen(counter: string): number {
    return readFirstRow<{ readonly n: number }>(this.#sql.countOpen, counter)?.n ?? 0
  }

  #update(batch: Batch): void {
    const { id, status, startedAt, finishedAt, webhook } = batch
    const dueAt = webhook?.nextAt ?? null
    const [started, finished] = [startedAt, finishedAt].map((at) => at?.getTime() ?? null)
    this.#sql.update.run(status, started, finished, dueAt, formatDetails(batch), id)
  }
}

function parseLine({ position, url, code, content }: LineRow): BatchLine {
  const text = JSON.parse(content) as string
  const line = { position, url: JSON.parse(url) as string }
  return code === null ? { ...line, result: text } : { ...line, code, error: text }
}

const BATCH = `SELECT id, key, counter, account, status, total, created_at AS createdAt, started_at AS startedAt,
  finished_at AS finishedAt, idempotency_key AS idempotencyKey, details FROM batches`

function prepare(db: Database.Database) {
  return { ...prepareBatches(db), ...prepareItems(db) }
}

const quote = (names: readonly string[]): string => names.map((name) => `'${name}'`).join()

function prepareBatches(db: Database.Database) {
  return {
    findRepeated: db.prepare(`${BATCH} WHERE counter = ? AND idempotency_key = ?`),
    insert: db.prepare(
      `INSERT INTO batches (id, key, counter, account, status, total, created_at, idempotency_key, details)
       VALUES (?, ?, ?, ?, 'loading', ?, ?, ?, ?)`,
    ),
    open: db.prepare("UPDATE batches SET status = 'waiting' WHERE id = ? AND status = 'loading'"),
    get: db.prepare(`${BATCH} WHERE id = ? AND status <> 'loading'`),
    list: db.prepare(
      `${BATCH} WHERE counter IN (SELECT value FROM json_each(?)) AND status <> 'loading' AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
    ),
    listOpen: db.prepare(`${BATCH} WHERE status IN (${quote(OPEN_STATUSES)}) ORDER BY created_at, id`),
    countOpen: db.prepare(
      `SELECT count(*) AS n FROM batches WHERE counter = ? AND status IN (${quote(COUNTED_STATUSES)})`,
    ),
    listFailed: db.prepare(
      `${BATCH} WHERE EXISTS (SELECT 1 FROM batch_items WHERE batch = batches.id AND state = 'failed'
         AND code IN (SELECT value FROM json_each(?))) ORDER BY created_at DESC, id DESC LIMIT ?`,
    ),
    listDue: db.prepare(`${BATCH} WHERE webhook_at <= ?`),
    // The numbers of lines that a retry removes are not given again: a client may have read beyond them.
    raiseSeq: db.prepare(
      `UPDATE batches SET first_seq =
         max(first_seq, (SELECT coalesce(max(seq), 0) FROM batch_items WHERE batch = ? AND seq IS NOT NULL)) WHERE id = ?`,
    ),
    update: db.prepare(
      'UPDATE batches SET status = ?, started_at = ?, finished_at = ?, webhook_at = ?, details = ? WHERE id = ?',
    ),
    findOld: db.prepare(
      `SELECT id FROM batches WHERE finished_at < ? OR (status = 'loading' AND created_at < ?) LIMIT 1`,
    ),
    delete: db.prepare('DELETE FROM batches WHERE id = ?'),
  }
}

function prepareItems(db: Database.Database) {
  return {
    insertItem: db.prepare(
      "INSERT OR IGNORE INTO batch_items (batch, position, turn, url, state) VALUES (?, ?, ?, ?, 'waiting')",
    ),
    count: db.prepare('SELECT state, code, count(*) AS n FROM batch_items WHERE batch = ? GROUP BY state, code'),
    listWaiting: db.prepare(
      `SELECT position, turn, url FROM batch_items
       WHERE batch = ? AND state = 'waiting' AND (turn, position) >= (?, ?) ORDER BY turn, position LIMIT ?`,
    ),
    findWaiting: db.prepare("SELECT 1 FROM batch_items WHERE batch = ? AND position = ? AND state = 'waiting'"),
    finish: db.prepare(
      `UPDATE batch_items SET state = @state, code = @code, content = @content, seq = 1 + max(
         (SELECT first_seq FROM batches WHERE id = @batch),
         (SELECT coalesce(max(seq), 0) FROM batch_items WHERE batch = @batch AND seq IS NOT NULL)
       ) WHERE batch = @batch AND position = @position`,
    ),
    countTry: db.prepare('UPDATE batch_items SET tries = tries + 1 WHERE batch = ? AND position = ? RETURNING tries'),
    readPart: db.prepare(
      'SELECT seq, position, url, code, content FROM batch_items WHERE batch = ? AND seq IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?',
    ),
    retry: db.prepare(
      `UPDATE batch_items SET state = 'waiting', code = NULL, content = NULL, seq = NULL, tries = 0
       WHERE batch = ? AND state = 'failed' AND (? IS NULL OR code IN (SELECT value FROM json_each(?)))`,
    ),
    deleteItems: db.prepare(
      `DELETE FROM batch_items WHERE (batch, position) IN
         (SELECT batch, position FROM batch_items WHERE batch = ? LIMIT ?)`,
    ),
  }
}
