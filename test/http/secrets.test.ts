import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { buildSecret, makeSecret } from '../../src/keys/key.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { mongoUrl, type OwnServer, startRedis } from '../support/services.ts'
import { openHost, scanOf, type TestHost } from './app-fixture.ts'
import { type HostStores, openEmbedded, openServers } from './app-kinds.ts'

/** What stands in the queries of this test's URLs, and in no place where it may not. */
const TOKEN = 'token-of-a-visitor'
const site = `https://example.org/?session=${TOKEN}`

/** Every path that a secret takes through the service. @returns secrets and their hashes */
async function useKeys(host: TestHost): Promise<string[]> {
  const [one, pinned, revoked, rotated] = await Promise.all([
    host.newKey({ plan: 'free' }),
    host.newKey({ revision: 1 }),
    host.newKey(),
    host.newKey(),
  ])
  const { kept, secret: newer } = buildSecret({ pepper: host.parts.pepper })
  await host.store.keys.revokeKey(revoked.key.id, new Date())
  await host.store.keys.rotateKey(rotated.key.id, { secret: kept, oldEndAt: new Date(0), now: new Date(0) })
  const unknown = [makeSecret(), makeSecret()]
  const made = [one, pinned, revoked, rotated].flatMap(({ key, secret }) => [secret, key.secrets[0].hash])
  const secrets = [...made, newer, kept.hash, ...unknown]
  for (const secret of secrets)
    for (const headers of waysToSend(secret))
      for (const url of ['/api/v1/me', scanOf(site), scanOf(`${site}&fails=1`), '/api/v1/nothing'])
        await host.call({ url, headers })
  // Where people paste a key by mistake.
  for (const secret of secrets) {
    await host.call({ url: `/api/v1/me?key=${secret}`, secret: one.secret })
    await host.call({ url: scanOf(`https://example.org/?key=${secret}`), secret: pinned.secret })
    const body = { url: 'https://example.org', [secret]: secret }
    await host.call({ method: 'POST', url: '/api/v1/scan', body, headers: { 'x-api-key': pinned.secret } })
    await host.call({ url: `/nothing/${secret}` })
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

async function run(stores: HostStores): Promise<{ secrets: string[]; log: string }> {
  const host = await openHost({ stores, scan })
  return { secrets: await useKeys(host), log: host.log() }
}

test('the log holds no key, no hash of one, and no query of a URL', async () => {
  const { secrets, log } = await run(await openEmbedded())
  expect(log.split('\n').length).toBeGreaterThan(100)
  for (const secret of [...secrets, TOKEN]) expect(log.includes(secret), secret).toBe(false)
  expect(log, 'but of which key a request was').toMatch(/"key":"key_[0-9A-Za-z]{16}"/)
  expect(log, 'and why a scan failed').toContain('no route to 192.0.2.1')
})

const mongodb = mongoUrl('host: secrets')
describe.skipIf(mongodb === null)('with an own Redis', () => {
  let redis: OwnServer | null
  beforeAll(async () => {
    redis = await startRedis('host: secrets')
  })
  afterAll(async () => {
    await redis?.stop()
  })

  test('neither its memory nor its files hold a key, a hash or a URL', async ({ skip }) => {
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

/** All that Redis knows, as it would lie on a disk: values as they are told, then its files. */
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
