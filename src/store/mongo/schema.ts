import type { Collection, CollectionInfo, Db, Document, IndexDescription, ObjectId } from 'mongodb'
import type { AuditEntry } from '../../accounts/audit.ts'
import type { Key } from '../../keys/types.ts'
import { isExistingNamespace } from './errors.ts'

/** A stored key. */
export interface KeyDocument extends Omit<Key, 'id'> {
  readonly _id: string
}

/** The use of a key in a month. */
export interface UsageDocument {
  /** `<key>:<month>` */
  readonly _id: string
  readonly key: string
  readonly month: string
  readonly used: number
  readonly lastUsedAt: Date
}

/** An audit entry. */
export interface AuditDocument extends AuditEntry {
  readonly _id: ObjectId
}

/** The switches (`switches`), a permanent value (`word:<name>`), or the time of the last probe (`probe`). */
export interface SettingDocument {
  readonly _id: string
  readonly maintenance?: boolean
  readonly apiOff?: boolean
  readonly value?: string
}

export interface Collections {
  readonly keys: Collection<KeyDocument>
  readonly usage: Collection<UsageDocument>
  readonly audit: Collection<AuditDocument>
  readonly settings: Collection<SettingDocument>
}

/** Incremented with every change of a schema below. Nodes update validators of earlier versions, but not of later ones. */
const SCHEMA_VERSION = 1

const TEXT = { bsonType: 'string' }
// The pattern alone would allow a trailing line feed, hence the maximum length.
const MONTH = { bsonType: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[0-2])$', maxLength: 7 }
const DATE = { bsonType: 'date' }
const TEXT_OR_NULL = { bsonType: ['string', 'null'] }
const DATE_OR_NULL = { bsonType: ['date', 'null'] }

function buildObjectSchema(properties: Document, required = Object.keys(properties)): Document {
  return { bsonType: 'object', required, additionalProperties: false, properties }
}

const SCHEMAS: Readonly<Record<keyof Collections, Document>> = {
  keys: buildObjectSchema({
    _id: TEXT,
    name: TEXT,
    email: TEXT,
    plan: TEXT,
    revision: { enum: [1, 2, null] },
    createdAt: DATE,
    revokedAt: DATE_OR_NULL,
    secrets: { bsonType: 'array', items: buildObjectSchema({ hash: TEXT, lastFour: TEXT, expiresAt: DATE_OR_NULL }) },
  }),
  usage: buildObjectSchema({
    _id: TEXT,
    key: TEXT,
    month: MONTH,
    used: { bsonType: 'number', minimum: 0 },
    lastUsedAt: DATE,
  }),
  audit: buildObjectSchema({
    _id: { bsonType: 'objectId' },
    at: DATE,
    action: TEXT,
    actor: TEXT_OR_NULL,
    account: TEXT_OR_NULL,
    key: TEXT_OR_NULL,
    detail: TEXT_OR_NULL,
  }),
  settings: buildObjectSchema(
    { _id: TEXT, maintenance: { bsonType: 'bool' }, apiOff: { bsonType: 'bool' }, value: TEXT },
    ['_id'],
  ),
}

const INDEXES: Readonly<Partial<Record<keyof Collections, readonly IndexDescription[]>>> = {
  keys: [{ key: { 'secrets.hash': 1 }, unique: true }, { key: { createdAt: 1, _id: 1 } }],
  // The field does not change after the first charge of a month, so that later charges do not write the index.
  usage: [{ key: { key: 1 } }],
  audit: [{ key: { account: 1, at: -1, _id: -1 } }, { key: { at: -1, _id: -1 } }],
}

/** Creates missing collections and indexes and updates earlier validators. Several nodes may do so concurrently. */
export async function prepareDatabase(db: Db): Promise<void> {
  const found = await db.listCollections<CollectionInfo>().toArray()
  const names = Object.keys(SCHEMAS) as (keyof Collections)[]
  await Promise.all(
    names.map(async (name) => {
      await ensureValidator(
        db,
        name,
        found.find((info) => info.name === name),
      )
      const indexes = INDEXES[name]
      if (indexes !== undefined) await db.collection(name).createIndexes([...indexes])
    }),
  )
}

export function getCollections(db: Db): Collections {
  return {
    keys: db.collection('keys'),
    usage: db.collection('usage'),
    audit: db.collection('audit'),
    settings: db.collection('settings'),
  }
}

async function ensureValidator(db: Db, name: keyof Collections, found: CollectionInfo | undefined): Promise<void> {
  const validator = { $jsonSchema: { title: `version ${SCHEMA_VERSION}`, ...SCHEMAS[name] } }
  if (found === undefined) {
    try {
      await db.createCollection(name, { validator })
    } catch (error) {
      // Another node has just created it.
      if (!isExistingNamespace(error)) throw error
    }
  } else if (readVersion(found) < SCHEMA_VERSION) await db.command({ collMod: name, validator })
}

/** @returns 0 for a collection without a validator of Siteprint */
function readVersion({ options }: CollectionInfo): number {
  const title: unknown = options?.validator?.$jsonSchema?.title
  return Number(/^version (\d+)$/.exec(String(title))?.[1] ?? 0)
}
