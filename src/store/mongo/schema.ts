import { setTimeout as sleep } from 'node:timers/promises'
import type { Collection, CollectionInfo, Db, Document, IndexDescription, ObjectId } from 'mongodb'
import type { Key } from '../../keys/types.ts'
import type { StoredScan } from '../account-types.ts'
import type { AuditEntry } from '../audit-types.ts'
import type { Batch, BatchStatus, BatchUrl } from '../batch-types.ts'
import { HASH_PREFIX, hashSessionToken } from '../session-token.ts'
import type { KeySlot } from '../types.ts'
import { isExistingNamespace, isIndexBuild } from './errors.ts'

/** Fields of a key that documents of earlier versions lack. */
type LaterFields = 'account' | 'counter' | 'suspendedAt' | 'expiresAt' | 'perMinute' | 'perMonth'

/** A stored key. `counter` is absent for a key without an account, and for one of an earlier version. */
export interface KeyDocument extends Omit<Key, 'id' | LaterFields>, Partial<Pick<Key, LaterFields>> {
  readonly _id: string
  /** The slot that the key occupies; absent if it has no account or is revoked. */
  readonly slot?: number
}

/** A slot that has had a key. */
export interface SlotDocument extends KeySlot {
  /** `<account>:<slot>` */
  readonly _id: string
}

/** The use of a counter in a month. */
export interface UsageDocument {
  /** `<counter>:<month>` */
  readonly _id: string
  /** The counter. Earlier versions counted each key under its id. */
  readonly key: string
  readonly month: string
  readonly used: number
  readonly lastUsedAt: Date
  /** Charged requests by day of the month: `d01` to `d31`. Charges of earlier versions are in no day. */
  readonly days?: Readonly<Record<string, number>>
  /** Ids of keys of earlier versions whose requests in this month were moved to this counter. */
  readonly moved?: readonly string[]
  /** Those of the charged requests that belong to batches, by the id of the batch and the day of the month. */
  readonly batches?: Readonly<Record<string, BatchCharges>>
}

/** The charges of a batch in a month, by day: `d01` to `d31`. A closed batch is no longer charged. */
type BatchCharges = Readonly<Record<`d${string}`, number>> & { readonly closed?: boolean }

/** A batch. Until its URLs are complete its status is `loading`, and `deleted` once its account is deleted. */
export interface BatchDocument extends Omit<Batch, 'id' | 'status' | 'idempotencyKey'> {
  readonly _id: string
  readonly status: BatchStatus | 'loading' | 'deleted'
  readonly idempotencyKey?: string
  /** When the webhook is due; absent if it is not. */
  readonly webhookAt?: Date
  /** Whether the charges are known to equal the successes. */
  readonly settled: boolean
}

/** A URL of a batch. */
export interface BatchItemDocument extends BatchUrl {
  /** `<batch>:<position>` */
  readonly _id: string
  readonly batch: string
  readonly state: 'waiting' | 'done' | 'failed'
  readonly tries: number
  /** When the outcome was stored, by the clock of the server. */
  readonly finishedAt?: Date
  readonly code?: string
  /** The result as JSON, or the message of the error. */
  readonly content?: string
  /** The day of the charge, `YYYY-MM-DD`. */
  readonly day?: string
}

/** An account, as better-auth writes it. */
export interface AccountDocument {
  readonly _id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
  readonly plan: string
  readonly createdAt: Date
  readonly suspendedAt?: Date | null
  /** When the deletion of the account began. From then on, it gets neither keys nor scans. */
  readonly deletedAt?: Date | null
}

/** An invitation. Its id is the hash of its token. */
interface InviteDocument {
  readonly _id: string
  readonly expiresAt: Date
}

/** A stored scan. */
export interface ScanDocument extends Omit<StoredScan, 'id' | 'entry'> {
  readonly _id: string
  /** JSON of the entry. */
  readonly entry: string
}

/** Fields of an audit entry that documents of earlier versions lack. */
type LaterAuditFields = 'command' | 'machine' | 'count' | 'firstAt'

/** An audit entry. */
export interface AuditDocument extends Omit<AuditEntry, LaterAuditFields>, Partial<Pick<AuditEntry, LaterAuditFields>> {
  readonly _id: ObjectId
  /** Identifies a merged entry: the events that it contains have the same. Absent for an entry of one event. */
  readonly group?: string
}

/** The switches (`switches`), a permanent value (`word:<name>`), or the time of the last probe (`probe`). */
export interface SettingDocument {
  readonly _id: string
  readonly maintenance?: boolean
  readonly apiOff?: boolean
  readonly value?: string
}

/** The collections of Siteprint itself, each with a validator. */
interface OwnCollections {
  readonly keys: Collection<KeyDocument>
  readonly slots: Collection<SlotDocument>
  readonly usage: Collection<UsageDocument>
  readonly invites: Collection<InviteDocument>
  readonly scans: Collection<ScanDocument>
  readonly audit: Collection<AuditDocument>
  readonly settings: Collection<SettingDocument>
  readonly batches: Collection<BatchDocument>
  readonly batchItems: Collection<BatchItemDocument>
}

/** The collections of better-auth, which checks what it writes. */
interface AuthCollections {
  readonly accounts: Collection<AccountDocument>
  readonly sessions: Collection<{ readonly _id: string; readonly userId: string; readonly token: string }>
  readonly credentials: Collection<{ readonly _id: string; readonly userId: string }>
  readonly verifications: Collection<{ readonly _id: string; readonly identifier: string; readonly value: string }>
}

export interface Collections extends OwnCollections, AuthCollections {}

/** Incremented with every change of a schema below. Nodes update validators of earlier versions, but not of later ones. */
const SCHEMA_VERSION = 6

/** Milliseconds between two attempts to change a validator. */
const INDEX_BUILD_PAUSE_MS = 50

const TEXT = { bsonType: 'string' }
// The pattern alone would allow a trailing line feed, hence the maximum length.
const MONTH = { bsonType: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$', maxLength: 7 }
const DATE = { bsonType: 'date' }
const DATE_OR_NULL = { bsonType: ['date', 'null'] }
const TEXT_OR_NULL = { bsonType: ['string', 'null'] }
const COUNT = { bsonType: 'number', minimum: 0 }
const COUNT_OR_NULL = { bsonType: ['number', 'null'], minimum: 0 }

function buildObjectSchema(required: Document, optional: Document = {}): Document {
  return {
    bsonType: 'object',
    required: Object.keys(required),
    additionalProperties: false,
    properties: { ...required, ...optional },
  }
}

const SECRET = buildObjectSchema({ hash: TEXT, lastFour: TEXT, expiresAt: DATE_OR_NULL }, { pepper: TEXT })

// Fields of later versions are optional, because nodes of earlier versions do not write them.
const SCHEMAS: Readonly<Record<keyof OwnCollections, Document>> = {
  keys: buildObjectSchema(
    {
      _id: TEXT,
      name: TEXT,
      email: TEXT,
      plan: TEXT,
      revision: { enum: [1, 2, null] },
      createdAt: DATE,
      revokedAt: DATE_OR_NULL,
      secrets: { bsonType: 'array', items: SECRET },
    },
    {
      account: TEXT_OR_NULL,
      suspendedAt: DATE_OR_NULL,
      expiresAt: DATE_OR_NULL,
      perMinute: COUNT_OR_NULL,
      perMonth: COUNT_OR_NULL,
      slot: COUNT,
      counter: TEXT,
    },
  ),
  slots: buildObjectSchema({ _id: TEXT, account: TEXT, slot: COUNT, counter: TEXT }),
  usage: buildObjectSchema(
    { _id: TEXT, key: TEXT, month: MONTH, used: COUNT, lastUsedAt: DATE },
    {
      days: {
        bsonType: 'object',
        additionalProperties: false,
        patternProperties: { '^d(0[1-9]|[12][0-9]|3[01])$': COUNT },
      },
      moved: { bsonType: 'array', items: TEXT },
      batches: { bsonType: 'object', additionalProperties: { bsonType: 'object' } },
    },
  ),
  invites: buildObjectSchema({ _id: TEXT, expiresAt: DATE }),
  scans: buildObjectSchema({ _id: TEXT, account: TEXT, url: TEXT, builder: TEXT_OR_NULL, at: DATE, entry: TEXT }),
  audit: buildObjectSchema(
    {
      _id: { bsonType: 'objectId' },
      at: DATE,
      action: TEXT,
      actor: TEXT_OR_NULL,
      account: TEXT_OR_NULL,
      key: TEXT_OR_NULL,
      detail: TEXT_OR_NULL,
    },
    { command: TEXT_OR_NULL, machine: TEXT_OR_NULL, count: COUNT, firstAt: DATE_OR_NULL, group: TEXT },
  ),
  settings: buildObjectSchema(
    { _id: TEXT },
    { maintenance: { bsonType: 'bool' }, apiOff: { bsonType: 'bool' }, value: TEXT },
  ),
  batches: buildObjectSchema(
    {
      ...{
        _id: TEXT,
        key: TEXT,
        counter: TEXT,
        account: TEXT_OR_NULL,
        status: TEXT,
        reason: TEXT_OR_NULL,
        total: COUNT,
      },
      ...{ include: { bsonType: 'array', items: TEXT }, fresh: { bsonType: 'bool' }, fingerprint: TEXT },
      ...{ createdAt: DATE, startedAt: DATE_OR_NULL, finishedAt: DATE_OR_NULL, settled: { bsonType: 'bool' } },
      webhook: { bsonType: ['object', 'null'] },
    },
    { idempotencyKey: TEXT, webhookAt: DATE },
  ),
  batchItems: buildObjectSchema(
    {
      ...{ _id: TEXT, batch: TEXT, position: COUNT, turn: COUNT, url: TEXT },
      ...{ state: { enum: ['waiting', 'done', 'failed'] }, tries: COUNT },
    },
    { finishedAt: DATE, code: TEXT, content: TEXT, day: TEXT },
  ),
}

/** Reads a result in one round trip. By default a second one follows after 101 documents. */
export const ONE_BATCH = { batchSize: 10_000 } as const

/** Deletes a document when the time in its field has passed, within a minute. */
const EXPIRING: IndexDescription = { key: { expiresAt: 1 }, expireAfterSeconds: 0 }

const INDEXES: Readonly<Partial<Record<keyof Collections, readonly IndexDescription[]>>> = {
  keys: [
    { key: { 'secrets.hash': 1 }, unique: true },
    { key: { createdAt: 1, _id: 1 } },
    { key: { account: 1, slot: 1 }, unique: true, partialFilterExpression: { slot: { $exists: true } } },
    { key: { account: 1 }, partialFilterExpression: { account: { $gte: '' } } },
  ],
  slots: [{ key: { account: 1, slot: 1 } }],
  // The fields do not change after the first charge of a month, so that later charges do not write the indexes.
  usage: [{ key: { key: 1 } }, { key: { month: 1 } }],
  invites: [EXPIRING],
  scans: [{ key: { account: 1, at: -1 } }],
  audit: [
    { key: { account: 1, at: -1, _id: -1 } },
    { key: { at: -1, _id: -1 } },
    { key: { account: 1, action: 1, at: -1, _id: -1 } },
    { key: { group: 1 }, unique: true, partialFilterExpression: { group: { $exists: true } } },
  ],
  batches: [
    { key: { counter: 1, createdAt: -1, _id: -1 } },
    {
      key: { counter: 1, idempotencyKey: 1 },
      unique: true,
      partialFilterExpression: { idempotencyKey: { $exists: true } },
    },
    { key: { status: 1, createdAt: 1 } },
    { key: { counter: 1, status: 1 } },
    { key: { finishedAt: 1 } },
    { key: { account: 1 }, partialFilterExpression: { account: { $gte: '' } } },
    { key: { webhookAt: 1 }, partialFilterExpression: { webhookAt: { $exists: true } } },
  ],
  batchItems: [
    { key: { batch: 1, turn: 1, position: 1 }, partialFilterExpression: { state: 'waiting' } },
    { key: { batch: 1, finishedAt: 1, position: 1 }, partialFilterExpression: { finishedAt: { $exists: true } } },
    { key: { batch: 1, state: 1, code: 1 } },
    { key: { code: 1, batch: 1 }, partialFilterExpression: { state: 'failed' } },
  ],
  // better-auth creates indexes with these names, but only some of them, and not before its first use.
  accounts: [{ key: { email: 1 }, name: 'accounts_email_uidx', unique: true }, { key: { createdAt: -1, _id: -1 } }],
  sessions: [
    { key: { token: 1 }, name: 'sessions_token_uidx', unique: true },
    { key: { userId: 1 }, name: 'sessions_userId_idx' },
    EXPIRING,
  ],
  credentials: [{ key: { userId: 1 }, name: 'credentials_userId_idx' }],
  verifications: [{ key: { identifier: 1 }, name: 'verifications_identifier_idx' }, EXPIRING],
}

/** Creates missing collections and indexes and updates earlier validators. Several nodes may do so concurrently. */
export async function prepareDatabase(db: Db): Promise<void> {
  const found = await db.listCollections<CollectionInfo>().toArray()
  const findInfo = (name: string): CollectionInfo | undefined => found.find((info) => info.name === name)
  const own = Object.keys(SCHEMAS) as (keyof OwnCollections)[]
  await Promise.all(own.map((name) => ensureValidator(db, name, findInfo(name))))
  const indexes = Object.entries(INDEXES)
  await Promise.all(indexes.map(([name, wanted]) => db.collection(name).createIndexes([...wanted])))
  await hashSessionTokens(getCollections(db))
}

/** Sessions of earlier versions contain their token itself. They stay valid. */
async function hashSessionTokens({ sessions }: Pick<Collections, 'sessions'>): Promise<void> {
  const found = sessions.find({ token: { $not: new RegExp(`^${HASH_PREFIX}`) } }, { projection: { token: 1 } })
  const updates = (await found.toArray()).map(({ _id, token }) => ({
    updateOne: { filter: { _id, token }, update: { $set: { token: hashSessionToken(token) } } },
  }))
  if (updates.length > 0) await sessions.bulkWrite(updates, { ordered: false })
}

export function getCollections(db: Db): Collections {
  return {
    keys: db.collection('keys'),
    slots: db.collection('slots'),
    usage: db.collection('usage'),
    audit: db.collection('audit'),
    settings: db.collection('settings'),
    batches: db.collection('batches'),
    batchItems: db.collection('batchItems'),
    invites: db.collection('invites'),
    scans: db.collection('scans'),
    accounts: db.collection('accounts'),
    sessions: db.collection('sessions'),
    credentials: db.collection('credentials'),
    verifications: db.collection('verifications'),
  }
}

async function ensureValidator(db: Db, name: keyof OwnCollections, found: CollectionInfo | undefined): Promise<void> {
  const validator = { $jsonSchema: { title: `version ${SCHEMA_VERSION}`, ...SCHEMAS[name] } }
  if (found === undefined) {
    try {
      await db.createCollection(name, { validator })
    } catch (error) {
      // Another node has just created it.
      if (!isExistingNamespace(error)) throw error
    }
  } else if (readVersion(found) < SCHEMA_VERSION) await changeValidator(db, { collMod: name, validator })
}

/** Waits while another node that has started at the same time builds an index of the collection. The caller limits the time. */
async function changeValidator(db: Db, command: Document): Promise<void> {
  for (;;) {
    try {
      await db.command(command)
      return
    } catch (error) {
      if (!isIndexBuild(error)) throw error
      await sleep(INDEX_BUILD_PAUSE_MS)
    }
  }
}

/** @returns 0 for a collection without a validator of Siteprint */
function readVersion({ options }: CollectionInfo): number {
  const title: unknown = options?.validator?.$jsonSchema?.title
  return Number(/^version (\d+)$/.exec(String(title))?.[1] ?? 0)
}
