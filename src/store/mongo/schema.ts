import { setTimeout as sleep } from 'node:timers/promises'
import type { CollectionInfo, Db, Document, IndexDescription } from 'mongodb'
import { HASH_PREFIX, hashSessionToken } from '../session-token.ts'
import { type Collections, getCollections, type OwnCollections } from './collections.ts'
import { isExistingNamespace, isIndexBuild } from './errors.ts'

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
