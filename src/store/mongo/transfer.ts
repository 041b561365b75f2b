import { type Document, ObjectId } from 'mongodb'
import type { Batch } from '../batch-types.ts'
import type { Row, StoreTransfer, TableName } from '../transfer.ts'
import { type Collections, getCollections } from './collections.ts'
import { toSetupError, toStoreError } from './errors.ts'
import { MongoLink } from './link.ts'
import { prepareDatabase } from './schema.ts'

/** Milliseconds that a call may wait for a connection. */
const WAIT_MS = 30_000

/** The differences between the documents of a collection and the exported rows. */
interface Mapping {
  readonly collection: keyof Collections
  /** Selects the documents that are exported; absent for all. */
  readonly filter?: Document
  readonly toRow: (document: Document) => Row
  readonly toDocument: (row: Row) => Document
}

const ACCOUNT = ['id', 'name', 'email', 'emailVerified', 'image', 'createdAt', 'updatedAt', 'plan', 'suspendedAt']
const CREDENTIAL = ['id', 'accountId', 'providerId', 'userId', 'password', 'createdAt', 'updatedAt']
const SCAN = ['id', 'account', 'url', 'builder', 'at', 'entry']
const AUDIT = ['at', 'action', 'actor', 'account', 'key', 'detail', 'command', 'machine', 'firstAt', 'count']
const BATCH_TIMES = ['createdAt', 'startedAt', 'finishedAt']
const BATCH = ['id', 'key', 'counter', 'account', 'status', 'total', ...BATCH_TIMES, 'idempotencyKey']
const ITEM = ['batch', 'position', 'turn', 'url', 'state', 'tries', 'code', 'content']
const KEY = [
  ...['id', 'name', 'email', 'plan', 'revision', 'account', 'slot', 'counter', 'createdAt', 'revokedAt', 'suspendedAt'],
  ...['expiresAt', 'perMinute', 'perMonth'],
]
/** Names of values that are times. */
const TIMES = new Set([
  'createdAt',
  'updatedAt',
  'suspendedAt',
  'revokedAt',
  'expiresAt',
  'at',
  'lastUsedAt',
  'firstAt',
  'startedAt',
  'finishedAt',
])

/** Reads the named fields of a document, missing ones as null. The field `id` is `_id`. */
function pick(document: Document, names: readonly string[]): Row {
  const entries = names.map((name) => {
    const value: unknown = document[name === 'id' ? '_id' : name] ?? null
    return [name, value instanceof Date ? value.toISOString() : value]
  })
  return Object.fromEntries(entries) as Row
}

/** Builds a document from a row. */
function build(row: Row, names: readonly string[]): Document {
  const entries = names.map((name) => {
    const value = row[name]
    return [name === 'id' ? '_id' : name, TIMES.has(name) && value !== null ? new Date(`${value}`) : value]
  })
  return Object.fromEntries(entries)
}

const map = (collection: keyof Collections, names: readonly string[]): Mapping => ({
  collection,
  toRow: (document) => pick(document, names),
  toDocument: (row) => build(row, names),
})

const WORD = 'word:'
const MAPPINGS: Readonly<Record<TableName, Mapping>> = {
  // A deletion that was interrupted is completed.
  accounts: { ...map('accounts', ACCOUNT), filter: { deletedAt: null } },
  credentials: map('credentials', CREDENTIAL),
  scans: map('scans', SCAN),
  values: {
    collection: 'settings',
    filter: { _id: { $regex: `^${WORD}` } },
    toRow: ({ _id, value }) => ({ name: `${_id}`.slice(WORD.length), value }),
    toDocument: ({ name, value }) => ({ _id: `${WORD}${name}`, value }),
  },
  invites: {
    collection: 'invites',
    toRow: ({ _id, expiresAt }) => ({ hash: _id, expiresAt: expiresAt.toISOString() }),
    toDocument: ({ hash, expiresAt }) => ({ _id: hash, expiresAt: new Date(`${expiresAt}`) }),
  },
  audit: {
    collection: 'audit',
    toRow: (document) => pick({ count: 1, ...document }, AUDIT),
    // Ids of one process are in the order of their creation. Exports of earlier versions lack the first two fields.
    toDocument: (row) => ({ _id: new ObjectId(), ...build({ firstAt: null, count: 1, ...row }, AUDIT) }),
  },
  batches: {
    collection: 'batches',
    filter: { status: { $nin: ['loading', 'deleted'] } },
    toRow: (document) => {
      const { include, fresh, webhook, fingerprint, reason } = document
      return { ...pick(document, BATCH), details: JSON.stringify({ include, fresh, webhook, fingerprint, reason }) }
    },
    toDocument: ({ details, ...row }) => {
      const more = JSON.parse(`${details}`) as Pick<Batch, 'include' | 'fresh' | 'webhook' | 'fingerprint' | 'reason'>
      const nextAt = more.webhook?.nextAt ?? null
      return {
        ...omitNull(build(row, BATCH), 'idempotencyKey'),
        ...more,
        ...(nextAt !== null && { webhookAt: new Date(nextAt) }),
        // What was charged before the import is not counted by batch.
        settled: row.finishedAt !== null,
      }
    },
  },
  batchItems: {
    collection: 'batchItems',
    toRow: (document) => pick(document, ITEM),
    toDocument: (row) => ({
      _id: `${row.batch}:${row.position}`,
      ...omitNull(omitNull(build(row, ITEM), 'code'), 'content'),
      // After an import the results are in the order of the list.
      ...(row.state !== 'waiting' && { finishedAt: new Date(Number(row.position)) }),
    }),
  },
  usage: {
    collection: 'usage',
    toRow: ({ days = {}, ...document }) => ({
      ...pick(document, ['key', 'month', 'used', 'lastUsedAt']),
      days: Object.fromEntries(
        Object.entries(days as Record<string, number>)
          .filter(([, used]) => used > 0)
          .map(([name, used]) => [name.slice(1), used]),
      ),
    }),
    toDocument: ({ days, ...row }) => ({
      _id: `${row.key}:${row.month}`,
      ...build(row, ['key', 'month', 'used', 'lastUsedAt']),
      days: Object.fromEntries(Object.entries(days ?? {}).map(([name, used]) => [`d${name}`, used])),
    }),
  },
  slots: {
    collection: 'slots',
    toRow: (document) => pick(document, ['account', 'slot', 'counter']),
    toDocument: (row) => ({ _id: `${row.account}:${row.slot}`, ...build(row, ['account', 'slot', 'counter']) }),
  },
  keys: {
    collection: 'keys',
    toRow: (document) => ({
      ...pick(document, KEY),
      secrets: (document.secrets as Document[]).map((one) => pick(one, ['hash', 'lastFour', 'expiresAt', 'pepper'])),
    }),
    toDocument: (row) => ({
      // Exports of earlier versions have no counters: the next start assigns them.
      ...omitNull(omitNull(build({ counter: null, ...row }, KEY), 'slot'), 'counter'),
      secrets: (row.secrets as readonly Row[]).map(toSecret),
    }),
  },
}

function toSecret(row: Row): Document {
  return omitNull(build(row, ['hash', 'lastFour', 'expiresAt', 'pepper']), 'pepper')
}

function omitNull(document: Document, name: string): Document {
  const { [name]: value, ...rest } = document
  return value === null ? rest : document
}

/** Opens MongoDB, and creates missing collections. @throws SetupError if it cannot be reached or prepared */
export async function openMongoTransfer(url: string): Promise<StoreTransfer> {
  const link = new MongoLink({ url, waitMs: WAIT_MS, onRenewed: () => {} })
  try {
    await prepareDatabase(link.db)
  } catch (error) {
    await link.close()
    throw toSetupError(error, link.hosts)
  }
  const all = getCollections(link.db)
  return {
    findExportProblem: async () => {
      const found = await all.settings.findOne({ _id: 'switches' })
      return found?.maintenance === true
        ? null
        : 'servers may change the data during the export: stop them, and run "service maintenance on"'
    },
    read: (table) => readCollection(link, table),
    isEmpty: async () => {
      const found = await Promise.all(
        [all.accounts, all.keys, all.usage].map((one) => link.db.collection(one.collectionName).findOne()),
      )
      return found.every((one) => one === null)
    },
    write: (table, rows) => writeRows(link, table, rows),
    close: () => link.close(),
  }
}

async function* readCollection({ db }: MongoLink, table: TableName): AsyncGenerator<Row> {
  const { collection, filter = {}, toRow } = MAPPINGS[table]
  const found = db.collection(collection).find(filter)
  for await (const document of found.sort(table === 'audit' ? { at: 1, _id: 1 } : { _id: 1 })) yield toRow(document)
}

async function writeRows(link: MongoLink, table: TableName, rows: readonly Row[]): Promise<void> {
  const { collection, toDocument } = MAPPINGS[table]
  const target = link.db.collection(collection)
  const documents = rows.map(toDocument)
  try {
    if (table !== 'values') return void (await target.insertMany(documents))
    for (const { _id, ...document } of documents) await target.replaceOne({ _id }, document, { upsert: true })
  } catch (error) {
    throw toStoreError(error)
  }
}
