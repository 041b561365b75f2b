import type Database from 'libsql'
import { type Batch, type BatchLine, type BatchStatus, COUNTED_STATUSES, OPEN_STATUSES } from '../batch-types.ts'

/** Fields of a batch, stored as JSON: the binding ends a text column at its first NUL. */
type Details = Pick<Batch, 'include' | 'fresh' | 'webhook' | 'fingerprint' | 'reason'>

/** A row of the table of batches. */
export interface BatchRow {
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

/** A row of the table of URLs that has a result or an error. */
export interface LineRow {
  readonly seq: number
  readonly position: number
  readonly url: string
  readonly code: string | null
  readonly content: string
}

const toDate = (at: number | null): Date | null => (at === null ? null : new Date(at))

/** Parses a row. A batch whose URLs are still being stored counts as waiting. */
export function parseBatch({
  createdAt,
  startedAt,
  finishedAt,
  idempotencyKey,
  details,
  status,
  ...row
}: BatchRow): Batch {
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

/** Formats the fields that are stored as JSON. */
export function formatDetails({ include, fresh, webhook, fingerprint, reason }: Details): string {
  return JSON.stringify({ include, fresh, webhook, fingerprint, reason })
}

/** Parses a row into a line of the results. */
export function parseLine({ position, url, code, content }: LineRow): BatchLine {
  const text = JSON.parse(content) as string
  const line = { position, url: JSON.parse(url) as string }
  return code === null ? { ...line, result: text } : { ...line, code, error: text }
}

const BATCH = `SELECT id, key, counter, account, status, total, created_at AS createdAt, started_at AS startedAt,
  finished_at AS finishedAt, idempotency_key AS idempotencyKey, details FROM batches`

/** The statements by name. */
type BatchStatements = Readonly<
  Record<
    | 'findRepeated'
    | 'insert'
    | 'open'
    | 'get'
    | 'list'
    | 'listOpen'
    | 'countOpen'
    | 'listFailed'
    | 'listDue'
    | 'raiseSeq'
    | 'update'
    | 'findOld'
    | 'delete'
    | 'insertItem'
    | 'count'
    | 'listWaiting'
    | 'findWaiting'
    | 'finish'
    | 'countTry'
    | 'readPart'
    | 'retry'
    | 'deleteItems',
    Database.Statement
  >
>

/** Prepares the statements of batches and of their URLs. */
export function prepareStatements(db: Database.Database): BatchStatements {
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
