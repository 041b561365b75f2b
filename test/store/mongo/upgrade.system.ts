import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../../src/keys/types.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import { hashSessionToken } from '../../../src/store/session-token.ts'
import type { Store } from '../../../src/store/types.ts'
import { mongoUrl } from '../../support/services.ts'
import { createAccount } from '../create-account.ts'
import { sampleKey } from '../sample-key.ts'

const url = mongoUrl('MongoDB upgrade')

/** A validator of version 1: no other fields are allowed. */
function buildOldValidator(...names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, {}]))
  const rest = { bsonType: 'object', required: names, additionalProperties: false, properties }
  return { $jsonSchema: { title: 'version 1', ...rest } }
}

const OLD_KEY = sampleKey({ id: 'key_old' })
const OLD_FIELDS = pickOldFields(OLD_KEY)
const OLD_ENTRY = { actor: 'acc_1', account: 'acc_1', key: null, detail: null }

/** The fields of a key that version 1 knows, without its id. */
function pickOldFields({ name, email, plan, revision, createdAt, revokedAt, secrets }: Key): object {
  return { name, email, plan, revision, createdAt, revokedAt, secrets }
}

describe.skipIf(url === null)('a database of version 1', () => {
  let client: MongoClient
  let stores: readonly Store[]
  beforeAll(async () => {
    client = await MongoClient.connect(String(url))
    const keys = ['_id', 'name', 'email', 'plan', 'revision', 'createdAt', 'revokedAt', 'secrets']
    await client.db().createCollection('keys', { validator: buildOldValidator(...keys) })
    const usage = ['_id', 'key', 'month', 'used', 'lastUsedAt']
    await client.db().createCollection('usage', { validator: buildOldValidator(...usage) })
    await insert('keys', { _id: OLD_KEY.id, ...OLD_FIELDS })
    const month = { key: OLD_KEY.id, month: '2026-05', used: 41, lastUsedAt: new Date(2000) }
    await insert('usage', { _id: `${OLD_KEY.id}:2026-05`, ...month })
    const audit = ['_id', 'at', 'action', 'actor', 'account', 'key', 'detail']
    await client.db().createCollection('audit', { validator: buildOldValidator(...audit) })
    const entries = Array.from({ length: 1000 }, (_, n) => ({
      at: new Date(n),
      action: 'account_renamed',
      ...OLD_ENTRY,
    }))
    await client.db().collection('audit').insertMany(entries)
    for (const n of [1, 2]) await insert('sessions', { _id: `ses_${n}`, ...{ token: `token ${n}`, userId: 'acc_1' } })
    stores = await Promise.all([1, 2, 3].map(() => openMongo({ url: String(url) })))
  })
  afterAll(async () => {
    for (const store of stores) await store.close()
    await client.close()
  })

  const insert = (name: string, document: { _id: string }): Promise<unknown> =>
    client.db().collection<{ _id: string }>(name).insertOne(document)
  const charge = { counter: OLD_KEY.id, day: '2026-05-17', quota: 100, at: new Date(3000) }

  test('keeps its data, and counts days from now on', async () => {
    expect(await stores[0].keys.getKey(OLD_KEY.id)).toEqual(OLD_KEY)
    expect(await stores[1].keys.listKeys()).toEqual([OLD_KEY])
    expect(await stores[2].usage.listDays([OLD_KEY.id], '2026-05')).toEqual([])
    const counts = await Promise.all(stores.map((store) => store.usage.charge(charge)))
    expect(counts.sort()).toEqual([42, 43, 44])
    expect(await stores[0].usage.listDays([OLD_KEY.id], '2026-05')).toEqual([
      { counter: OLD_KEY.id, day: '2026-05-17', used: 3 },
    ])
  })

  test('keeps its sessions, whose tokens are hashed, and its audit entries', async () => {
    const sessions = await client.db().collection('sessions').find().sort({ _id: 1 }).toArray()
    expect(sessions.map(({ token }) => token)).toEqual([1, 2].map((n) => hashSessionToken(`token ${n}`)))
    // New events displace none of the entries.
    const event = { ...OLD_ENTRY, command: null, machine: null, at: new Date(5), action: 'account_renamed' } as const
    await Promise.all(stores.map((store) => store.audit.addAudit(event)))
    const entries = await stores[0].audit.listAudit({ account: 'acc_1' })
    expect(entries).toHaveLength(1001)
    expect(
      entries
        .map(({ count }) => count)
        .toSorted()
        .at(-1),
    ).toBe(3)
  })

  test('can still be written by nodes of version 1', async () => {
    const [store] = stores
    const late = sampleKey({ id: 'key_late' })
    await insert('keys', { _id: late.id, ...pickOldFields(late) })
    expect(await store.keys.getKey(late.id)).toEqual(late)
    const change = { used: { $add: ['$used', 1] } }
    await client
      .db()
      .collection<{ _id: string }>('usage')
      .updateOne({ _id: `${OLD_KEY.id}:2026-05` }, [{ $set: change }])
    expect(await store.usage.charge(charge)).toBe(46)
    expect(await store.usage.listDays([OLD_KEY.id], '2026-05')).toMatchObject([{ used: 4 }])
  })

  test('frees the place of a key that a node of version 1 revokes', async () => {
    const [store] = stores
    const account = await createAccount(store)
    const key = sampleKey({ account })
    expect(await store.keys.createAccountKey(key, 1)).toBe(true)
    const change = { $set: { revokedAt: new Date() } }
    await client.db().collection<{ _id: string }>('keys').updateOne({ _id: key.id }, change)
    expect(await store.keys.createAccountKey(sampleKey({ account }), 1)).toBe(true)
    expect(await store.keys.createAccountKey(sampleKey({ account }), 1)).toBe(false)
  })
})
