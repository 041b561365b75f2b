import { inspect } from 'node:util'
import { type Document, MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SetupError } from '../../../src/errors.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import { startMongo } from '../../support/services.ts'
import { sampleKey } from '../sample-key.ts'

const server = await startMongo('mongo')
const host = server?.url.replace('mongodb://', '') ?? ''
const PASSWORD = 's3cr3t'

/** Ten times as long as opening waits for an answer. */
const MAX_MS = 30_000

/** Opens a store, which must fail. Returns the error and the duration. */
async function failToOpen(url: string): Promise<{ error: Error; ms: number }> {
  const start = performance.now()
  const error = await openMongo({ url }).then(
    () => new Error('the store was opened'),
    (cause: Error) => cause,
  )
  return { error, ms: performance.now() - start }
}

describe('opening fails with', () => {
  test.each([
    [
      'no server on the port',
      `mongodb://me:${PASSWORD}@127.0.0.1:1/x`,
      /127\.0\.0\.1:1 does not answer: check that MongoDB is running/,
    ],
    ['an unknown host name', `mongodb://me:${PASSWORD}@nowhere.invalid/x`, /nowhere\.invalid:27017 does not answer/],
    ['a missing SRV record', `mongodb+srv://me:${PASSWORD}@nowhere.invalid/x`, /nowhere\.invalid does not answer/],
    [
      'two host names',
      `mongodb://me:${PASSWORD}@127.0.0.1:1,127.0.0.1:2/x`,
      /at 127\.0\.0\.1:1, 127\.0\.0\.1:2 does not/,
    ],
  ])('%s', async (_, url, expected) => {
    const { error, ms } = await failToOpen(url)
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(expected)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
    expect(ms).toBeLessThan(MAX_MS)
  })

  test.skipIf(server === null)('an unknown user', async () => {
    const { error } = await failToOpen(`mongodb://me:${PASSWORD}@${host}/`)
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/rejects the user or password in MONGODB_URL/)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
  })

  test.skipIf(server === null)('a server that hangs', async () => {
    server?.pause()
    const { error, ms } = await failToOpen(`mongodb://${host}/`)
    server?.resume()
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/does not answer/)
    expect(ms).toBeLessThan(MAX_MS)
  })
})

describe.skipIf(server === null)('the database', () => {
  let client: MongoClient
  beforeAll(async () => {
    client = await MongoClient.connect(`mongodb://${host}/`)
  })
  afterAll(async () => {
    await client.close()
    await server?.stop()
  })

  test.each([
    ['', 'siteprint'],
    ['/', 'siteprint'],
    ['/?retryWrites=false', 'siteprint'],
    ['/test', 'test'],
    ['/own?retryWrites=false', 'own'],
  ])('for %j is %s', async (rest, name) => {
    const store = await openMongo({ url: `mongodb://${host}${rest}` })
    const key = sampleKey()
    await store.keys.createKey(key)
    await store.close()
    expect(await client.db(name).collection<{ _id: string }>('keys').countDocuments({ _id: key.id })).toBe(1)
  })

  test('writes are journaled by a majority, whatever the URL says', async () => {
    const db = client.db('careless')
    await db.command({ profile: 2 })
    const store = await openMongo({ url: `mongodb://${host}/careless?w=0&journal=false&readPreference=secondary` })
    const use = { counter: 'key', day: '2026-05-17', at: new Date(0) }
    await store.keys.createKey(sampleKey({ id: 'key' }))
    await store.keys.rotateKey('key', { secret: sampleKey().secrets[0], oldEndAt: new Date(0), now: new Date(0) })
    for (const change of [
      store.usage.charge({ ...use, quota: 9 }),
      store.usage.touch(use),
      store.settings.putIfAbsent('a', 'b'),
    ])
      await change
    for (const change of [store.settings.setSwitches({ apiOff: true }), store.keys.revokeKey('key', use.at)])
      await change
    await store.close()
    await db.command({ profile: 0 })
    const writes = await db
      .collection('system.profile')
      .find({ $or: ['insert', 'update', 'findAndModify'].map((name) => ({ [`command.${name}`]: { $exists: true } })) })
      .toArray()
    // Profiles of simple updates do not contain it.
    expect(writes).toHaveLength(4)
    for (const { command } of writes) expect(command.writeConcern).toEqual({ w: 'majority', j: true })
  })

  test('lookups and the list use indexes', async () => {
    const db = client.db('siteprint')
    const readPlan = async (name: string, filter: Document, sort: Document = {}): Promise<string> =>
      JSON.stringify((await db.collection(name).find(filter).sort(sort).explain()).queryPlanner.winningPlan)
    for (const plan of [
      await readPlan('keys', { 'secrets.hash': 'x' }),
      await readPlan('keys', {}, { createdAt: 1, _id: 1 }),
      await readPlan('usage', { key: 'x' }),
      await readPlan('keys', { account: 'x' }, { createdAt: 1, _id: 1 }),
      await readPlan('keys', { account: { $in: ['x', 'y'] } }),
      await readPlan('accounts', { email: 'x' }),
      await readPlan('accounts', {}, { createdAt: -1, _id: -1 }),
      await readPlan('sessions', { userId: 'x' }),
      await readPlan('scans', { account: 'x' }, { at: -1, _id: -1 }),
    ])
      expect(plan).toMatch(/IXSCAN/)
  })

  const key = { name: '', email: '', plan: '', revision: null, createdAt: new Date(), revokedAt: null, secrets: [] }
  const usage = { key: 'k', month: '2026-05', used: 0, lastUsedAt: new Date() }
  test.each([
    ['keys', 'a key', key, true],
    ['keys', 'a key of revision 3', { ...key, revision: 3 }, false],
    ['keys', 'a key with a bare secret', { ...key, secrets: [{ secret: 'x' }] }, false],
    ['keys', 'a key with an additional field', { ...key, secret: 'x' }, false],
    ['keys', 'a key without a time', { ...key, createdAt: null }, false],
    [
      'keys',
      'a key of an account',
      { ...key, account: 'a', suspendedAt: new Date(), slot: 0, secrets: sampleKey().secrets },
      true,
    ],
    ['keys', 'a key in a slot below the first', { ...key, account: 'a', slot: -1 }, false],
    ['usage', 'use with days', { ...usage, days: { d01: 1, d31: 2 } }, true],
    ['usage', 'use on a day that no month has', { ...usage, days: { d32: 1 } }, false],
    ['usage', 'negative use on a day', { ...usage, days: { d01: -1 } }, false],
    ['invites', 'an invitation that never expires', { expiresAt: null }, false],
    ['scans', 'a scan without an entry', { account: 'a', url: 'u', builder: null, at: new Date() }, false],
    ['usage', 'use', usage, true],
    ['usage', 'negative use', { ...usage, used: -1 }, false],
    ['usage', 'use as a string', { ...usage, used: '1' }, false],
    ['usage', 'use in an invalid month', { ...usage, month: '2026-13' }, false],
    ['settings', 'a permanent value', { value: 'x' }, true],
    ['settings', 'a switch as a string', { maintenance: 'on' }, false],
  ])('validation of %s: %s', async (collection, what, document, isGood) => {
    const write = client.db('siteprint').collection<{ _id: string }>(collection)
    const written = write.insertOne({ _id: `${what} ${sampleKey().id}`, ...document })
    if (isGood) await written
    else await expect(written).rejects.toThrow('Document failed validation')
  })

  test.each([
    ['none', undefined, 'version 6'],
    ['of another application', { $jsonSchema: { required: ['other'] } }, 'version 6'],
    ['of an earlier version', { $jsonSchema: { title: 'version 1', required: ['other'] } }, 'version 6'],
    ['of a later version', { $jsonSchema: { title: 'version 7' } }, 'version 7'],
  ])('an existing validator (%s) is upgraded unless its version is later', async (_, validator, expected) => {
    const db = client.db(sampleKey().id)
    await db.createCollection('usage', { validator })
    const stores = await Promise.all([1, 2, 3].map(() => openMongo({ url: `mongodb://${host}/${db.databaseName}` })))
    for (const store of stores) await store.close()
    const [found] = await db.listCollections({ name: 'usage' }).toArray()
    expect((found as Document).options.validator.$jsonSchema.title).toBe(expected)
  })

  test('eight nodes that create it concurrently can all use it', async () => {
    for (let round = 0; round < 2; round++) {
      const url = `mongodb://${host}/${sampleKey().id}`
      const stores = await Promise.all(Array.from({ length: 8 }, () => openMongo({ url, queueMs: 60_000 })))
      for (const store of stores) await store.keys.createKey(sampleKey())
      expect(await stores[0].keys.listKeys()).toHaveLength(8)
      await Promise.all(stores.map((store) => store.close()))
    }
  })
})
