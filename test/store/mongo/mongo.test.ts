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

/** Opens, which has to fail; how long that took. */
async function failedOpen(url: string): Promise<{ error: Error; ms: number }> {
  const start = performance.now()
  const error = await openMongo({ url }).then(
    () => new Error('it opened'),
    (cause: Error) => cause,
  )
  return { error, ms: performance.now() - start }
}

describe('what cannot be opened', () => {
  test.each([
    ['nobody listens', `mongodb://me:${PASSWORD}@127.0.0.1:1/x`, /127\.0\.0\.1:1 does not answer: check that it runs/],
    ['no such name', `mongodb://me:${PASSWORD}@nowhere.invalid/x`, /nowhere\.invalid:27017 does not answer/],
    ['no such record', `mongodb+srv://me:${PASSWORD}@nowhere.invalid/x`, /nowhere\.invalid does not answer/],
    ['two hosts', `mongodb://me:${PASSWORD}@127.0.0.1:1,127.0.0.1:2/x`, /at 127\.0\.0\.1:1, 127\.0\.0\.1:2 does not/],
    ['another scheme', `http://me:${PASSWORD}@127.0.0.1/`, /is not a connection string/],
    ['no host', 'mongodb://', /is not a connection string/],
    [
      'a bare @ in the password',
      `mongodb://me:${PASSWORD}@${PASSWORD}@127.0.0.1/`,
      /characters of the password as %XX/,
    ],
    ['an unknown option', `mongodb://me:${PASSWORD}@127.0.0.1/?${PASSWORD}=1`, /an option .* check the names after/],
    ['a misspelt option', `mongodb://me:${PASSWORD}@127.0.0.1/?retryWrite=true`, /did you mean "retryWrites"\?$/],
    [
      'an option without a fitting value',
      `mongodb://me:${PASSWORD}@127.0.0.1/?tls=${PASSWORD}`,
      /the option "tls" that/,
    ],
    ['a mode that is none', `mongodb://me:${PASSWORD}@127.0.0.1/?readPreference=${PASSWORD}`, /"readPreference" that/],
    ['an option given twice', `mongodb://me:${PASSWORD}@127.0.0.1/?w=1&w=2`, /an option that .* refuses/],
    ['a colon in the password', `mongodb://me:${PASSWORD}:x@127.0.0.1/`, /characters of the password as %XX/],
    ['a question mark in the password', `mongodb://me:${PASSWORD}?x=1@127.0.0.1/`, /of the password as %XX/],
    ['a password that cannot be decoded', `mongodb://me:${PASSWORD}%zz@127.0.0.1/`, /of the password as %XX/],
    ['a port beside mongodb+srv', `mongodb+srv://me:${PASSWORD}@a.invalid:1/`, /takes one host and no port/],
    ['nothing', '', /is not a connection string/],
  ])('%s', async (_, url, expected) => {
    const { error, ms } = await failedOpen(url)
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(expected)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
    expect(ms).toBeLessThan(5000)
  })

  test.skipIf(server === null)('a user that is not known', async () => {
    const { error } = await failedOpen(`mongodb://me:${PASSWORD}@${host}/`)
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/refuses the user or password of MONGODB_URL/)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
  })

  test.skipIf(server === null)('a server that hangs', async () => {
    server?.pause()
    const { error, ms } = await failedOpen(`mongodb://${host}/`)
    server?.resume()
    expect(error).toBeInstanceOf(SetupError)
    expect(error.message).toMatch(/does not answer/)
    expect(ms).toBeLessThan(5000)
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
  ])('of %j is %s', async (rest, name) => {
    const store = await openMongo({ url: `mongodb://${host}${rest}` })
    const key = sampleKey()
    await store.createKey(key)
    await store.close()
    expect(await client.db(name).collection<{ _id: string }>('keys').countDocuments({ _id: key.id })).toBe(1)
  })

  test('writes are journaled by a majority, whatever the URL says', async () => {
    const db = client.db('careless')
    await db.command({ profile: 2 })
    const store = await openMongo({ url: `mongodb://${host}/careless?w=0&journal=false&readPreference=secondary` })
    const use = { key: 'key', month: '2026-05', at: new Date(0) }
    await store.createKey(sampleKey({ id: 'key' }))
    await store.rotateKey('key', { secret: sampleKey().secrets[0], oldEndAt: new Date(0), now: new Date(0) })
    for (const change of [store.charge({ ...use, quota: 9 }), store.touch(use), store.keepOnce('a', 'b')]) await change
    for (const change of [store.setSwitches({ apiOff: true }), store.revokeKey('key', use.at)]) await change
    await store.close()
    await db.command({ profile: 0 })
    const writes = await db
      .collection('system.profile')
      .find({ $or: ['insert', 'update', 'findAndModify'].map((name) => ({ [`command.${name}`]: { $exists: true } })) })
      .toArray()
    // Simple updates are profiled without it.
    expect(writes).toHaveLength(4)
    for (const { command } of writes) expect(command.writeConcern).toEqual({ w: 'majority', j: true })
  })

  test('look-ups and the list use indexes', async () => {
    const db = client.db('siteprint')
    const findPlan = async (name: string, filter: Document, sort: Document = {}): Promise<string> =>
      JSON.stringify((await db.collection(name).find(filter).sort(sort).explain()).queryPlanner.winningPlan)
    for (const plan of [
      await findPlan('keys', { 'secrets.hash': 'x' }),
      await findPlan('keys', {}, { createdAt: 1, _id: 1 }),
      await findPlan('usage', { key: 'x' }),
    ])
      expect(plan).toMatch(/IXSCAN/)
  })

  const key = { name: '', email: '', plan: '', revision: null, createdAt: new Date(), revokedAt: null, secrets: [] }
  const usage = { key: 'k', month: '2026-05', used: 0, lastUsedAt: new Date() }
  test.each([
    ['keys', 'a key', key, true],
    ['keys', 'a key of revision 3', { ...key, revision: 3 }, false],
    ['keys', 'a key with a bare secret', { ...key, secrets: [{ secret: 'x' }] }, false],
    ['keys', 'a key with a field more', { ...key, secret: 'x' }, false],
    ['keys', 'a key without a time', { ...key, createdAt: null }, false],
    ['usage', 'use', usage, true],
    ['usage', 'use below zero', { ...usage, used: -1 }, false],
    ['usage', 'use in a text', { ...usage, used: '1' }, false],
    ['usage', 'use in no month', { ...usage, month: '2026-13' }, false],
    ['settings', 'a word', { value: 'x' }, true],
    ['settings', 'a switch in a text', { maintenance: 'on' }, false],
  ])('validation of %s: %s', async (collection, what, document, isGood) => {
    const write = client.db('siteprint').collection<{ _id: string }>(collection)
    const written = write.insertOne({ _id: `${what} ${sampleKey().id}`, ...document })
    if (isGood) await written
    else await expect(written).rejects.toThrow('Document failed validation')
  })

  test.each([
    ['none', undefined, 'version 1'],
    ["somebody's", { $jsonSchema: { required: ['other'] } }, 'version 1'],
    ['of an earlier version', { $jsonSchema: { title: 'version 0', required: ['other'] } }, 'version 1'],
    ['of a later version', { $jsonSchema: { title: 'version 2' } }, 'version 2'],
  ])('a validator, where there is %s, is of this version or a later one afterwards', async (_, validator, expected) => {
    const db = client.db(sampleKey().id)
    await db.createCollection('usage', { validator })
    const stores = await Promise.all([1, 2, 3].map(() => openMongo({ url: `mongodb://${host}/${db.databaseName}` })))
    for (const store of stores) await store.close()
    const [found] = await db.listCollections({ name: 'usage' }).toArray()
    expect((found as Document).options.validator.$jsonSchema.title).toBe(expected)
  })

  test('eight nodes that make it at once can all use it', async () => {
    for (let round = 0; round < 5; round++) {
      const url = `mongodb://${host}/${sampleKey().id}`
      const stores = await Promise.all(Array.from({ length: 8 }, () => openMongo({ url })))
      for (const store of stores) await store.createKey(sampleKey())
      expect(await stores[0].listKeys()).toHaveLength(8)
      await Promise.all(stores.map((store) => store.close()))
    }
  })
})
