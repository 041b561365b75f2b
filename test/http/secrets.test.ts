import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { mongoUrl, type OwnServer, startRedis } from '../support/services.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'
import { type AppStores, openEmbedded, openServers } from './app-kinds.ts'

/** A token in the query of this test's URLs, which must not appear in logs or stored data. */
const TOKEN = 'token-of-a-visitor'
const site = `https://example.org/?session=${TOKEN}`

/** Uses secrets in every way the service supports. @returns the secrets and their hashes */
async function useKeys(app: TestApp): Promise<string[]> {
  const [one, pinned, revoked, rotated] = await Promise.all([
    app.newKey({ plan: 'free' }),
    app.newKey({ revision: 1 }),
    app.newKey(),
    app.newKey(),
  ])
  const { stored, secret: newer } = buildSecret({ pepper: app.parts.pepper })
  await app.store.keys.revokeKey(revoked.key.id, new Date())
  await app.store.keys.rotateKey(rotated.key.id, { secret: stored, oldEndAt: new Date(0), now: new Date(0) })
  const unknown = [makeSecret(), makeSecret()]
  const made = [one, pinned, revoked, rotated].flatMap(({ key, secret }) => [secret, key.secrets[0].hash])
  const secrets = [...made, newer, stored.hash, ...unknown]
  for (const secret of secrets)
    for (const headers of waysToSend(secret))
      for (const url of ['/api/v1/me', scanOf(site), scanOf(`${site}&fails=1`), '/api/v1/nothing'])
        await app.call({ url, headers })
  // Places where a key may be pasted by mistake.
  for (const secret of secrets) {
    await app.call({ url: `/api/v1/me?key=${secret}`, secret: one.secret })
    await app.call({ url: scanOf(`https://example.org/?key=${secret}`), secret: pinned.secret })
    const body = { url: 'https://example.org', [secret]: secret }
    await app.call({ method: 'POST', url: '/api/v1/scan', body, headers: { 'x-api-key': pinned.secret } })
    await app.call({ url: `/nothing/${secret}` })
  }
  return secrets
}

const waysToSend = (secret: string): Record<string, string>[] => [
  { authorization: `Bearer ${secret}` },
  { 'x-api-key': secret },
  { authorization: secret },
]

async function scan(url: string): Promise<ReturnType<typeof sampleScan>> {
  if (url.includes('fails=1')) throw new ScanError('unreachable', { cause: new Error('no route to 192.0.2.1') })
  return sampleScan(url.split('?')[0])
}

async function run(stores: AppStores): Promise<{ secrets: string[]; log: string }> {
  const app = await openApp({ stores, scan })
  return { secrets: await useKeys(app), log: app.log() }
}

test('the log contains no key, no hash of a key, and no query of a URL', async () => {
  const { secrets, log } = await run(await openEmbedded())
  expect(log.split('\n').length).toBeGreaterThan(100)
  for (const secret of [...secrets, TOKEN]) expect(log.includes(secret), secret).toBe(false)
  expect(log, 'but of which key a request was').toMatch(/"key":"key_[0-9A-Za-z]{16}"/)
  expect(log, 'and why a scan failed').toContain('no route to 192.0.2.1')
})

const mongodb = mongoUrl('http: secrets')
describe.skipIf(mongodb === null)('with its own Redis', () => {
  let redis: OwnServer | null
  beforeAll(async () => {
    redis = await startRedis('http: secrets')
  })
  afterAll(async () => {
    await redis?.stop()
  })

  test('neither its memory nor its files contain a key, a hash or a URL', async ({ skip }) => {
    if (redis === null) return skip()
    const { secrets, log } = await run(await openServers({ redis: redis.url, mongodb: mongodb ?? '' }))
    const bytes = await readRedis(redis.url)
    expect(bytes.length).toBeGreaterThan(1000)
    expect(bytes.includes('siteprint:minute:key:key_'), 'what is counted is there').toBe(true)
    expect(bytes.includes('"builderSlug":"webflow"'), 'what is cached is there').toBe(true)
    for (const secret of [...secrets, TOKEN]) {
      expect(bytes.includes(secret), secret).toBe(false)
      expect(log.includes(secret), secret).toBe(false)
    }
  })
})

/** Reads all data of Redis: its values, then its files. */
async function readRedis(url: string): Promise<Buffer> {
  const client = await createClient({ url }).connect()
  const told: string[] = []
  for (const key of await client.keys('*')) {
    const kind = await client.type(key)
    const value = kind === 'hash' ? JSON.stringify(await client.hGetAll(key)) : await client.get(key)
    told.push(`${key} ${value?.replaceAll('\\"', '"')}`)
  }
  await client.configSet('rdbcompression', 'no')
  await client.sendCommand(['SAVE'])
  const { dir } = await client.configGet('dir')
  client.destroy()
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(0)
  return Buffer.concat([
    Buffer.from(told.join('\n')),
    ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name))),
  ])
}
