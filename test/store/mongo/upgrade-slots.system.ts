import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import type { Store } from '../../../src/store/types.ts'
import { mongoUrl } from '../../support/services.ts'
import { sampleKey } from '../sample-key.ts'
import { describeUpgraded, readVersion4, UPGRADED } from '../version-4.ts'

const url = mongoUrl('MongoDB slots')

const toDate = (value: unknown): Date | null => (value === null ? null : new Date(value as number | string))

describe.skipIf(url === null)('a database in which every key was counted on its own', () => {
  let client: MongoClient
  const stores: Store[] = []
  beforeAll(async () => {
    client = await MongoClient.connect(String(url))
    await insert('accounts', readVersion4('accounts').map(buildAccount))
    await insert('sessions', [{ _id: 'session_ann', userId: 'ann', token: 'x', expiresAt: new Date('2099-01-01') }])
    await insert('keys', readVersion4('keys').map(buildKey))
    await insert('usage', readVersion4('usage').map(buildUsage))
    const opened = await Promise.all([1, 2, 3].map(() => openMongo({ url: String(url) })))
    stores.push(...opened)
  }, 60_000)
  afterAll(async () => {
    for (const store of stores) await store.close()
    await client?.close()
  })

  type Document = Readonly<Record<string, unknown>> & { readonly _id: string }
  const insert = (name: string, documents: readonly Document[]): Promise<unknown> =>
    client.db().collection<Document>(name).insertMany(documents)

  test('moves to slots when three nodes start together, and loses nothing', async () => {
    for (const store of stores) expect(await describeUpgraded(store)).toEqual(UPGRADED)
    expect(await client.db().collection<Document>('sessions').findOne({ _id: 'session_ann' })).toMatchObject({
      userId: 'ann',
    })
  })

  test('charges continue in the slots: those of revoked keys count against the quota', async () => {
    const key = sampleKey({ account: 'bob' })
    expect(await stores[0].keys.createAccountKey(key, 1)).toBe(true)
    const { counter = '' } = (await stores[1].keys.getKey(key.id)) ?? {}
    const all = Array.from({ length: 12 }, (_, n) =>
      stores[n % 3].usage.charge({ counter, day: '2026-05-07', quota: 100, at: new Date() }),
    )
    const counts = (await Promise.all(all)).filter((count) => count !== null)
    expect(counts.sort((a, b) => a - b)).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100])
  })

  test('an interrupted move continues at the next start, and adds nothing twice', async () => {
    // The requests were added to the slot, but neither their source was deleted nor the key changed.
    const usage = client.db().collection<Document>('usage')
    const source = { key: 'key_ann1', month: '2026-05', used: 3, lastUsedAt: new Date(0), days: { d02: 3 } }
    await usage.insertOne({ _id: 'key_ann1:2026-05', ...source })
    await client
      .db()
      .collection<Document>('keys')
      .updateOne({ _id: 'key_ann1' }, { $unset: { counter: 1 } })
    const store = await openMongo({ url: String(url) })
    stores.push(store)
    expect(await store.usage.usedBy('key_ann4', '2026-05')).toBe(10)
    expect((await store.keys.getKey('key_ann1'))?.counter).toBe('key_ann4')
    expect(await usage.countDocuments({ key: 'key_ann1' })).toBe(0)
  })

  test('keys that a node of the former version creates get their slots at the next start', async () => {
    const late = { ...buildKey(readVersion4('keys')[3]), _id: 'key_late', slot: 2, secrets: [] }
    await insert('keys', [{ ...late, secrets: [{ hash: 'late', lastFour: 'late', expiresAt: null }] }])
    expect((await stores[0].keys.getKey('key_late'))?.counter).toBe('key_late')
    const store = await openMongo({ url: String(url) })
    stores.push(store)
    expect((await store.keys.listSlots('ann')).map(({ counter }) => counter)).toEqual([
      'key_ann4',
      'key_ann2',
      'key_late',
    ])
  })
})

function buildAccount(row: ReturnType<typeof readVersion4>[number]) {
  const { id, name, email, plan, createdAt, updatedAt } = row
  const times = { createdAt: toDate(createdAt), updatedAt: toDate(updatedAt), suspendedAt: null }
  return { _id: `${id}`, name, email, emailVerified: true, plan, ...times }
}

function buildKey(row: ReturnType<typeof readVersion4>[number]) {
  const { id, name, email, plan, revision, account, slot } = row
  const secrets = readVersion4('secrets')
    .filter(({ key }) => key === id)
    .map(({ hash, last_four: lastFour }) => ({ hash, lastFour, expiresAt: null }))
  const times = { createdAt: toDate(row.created_at), revokedAt: toDate(row.revoked_at), suspendedAt: null }
  const limits = { expiresAt: null, perMinute: null, perMonth: null }
  const place = slot === null ? {} : { slot }
  return { _id: `${id}`, name, email, plan, revision, account, ...place, ...times, ...limits, secrets }
}

function buildUsage({ key, month, used, last_used_at: at }: ReturnType<typeof readVersion4>[number]) {
  const days = readVersion4('usage_days')
    .filter((row) => row.key === key && `${row.day}`.startsWith(`${month}`))
    .map((row) => [`d${`${row.day}`.slice(8)}`, row.used])
  return { _id: `${key}:${month}`, key, month, used, lastUsedAt: toDate(at), days: Object.fromEntries(days) }
}
