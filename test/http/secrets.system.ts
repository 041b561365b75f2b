import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mongoUrl, type OwnServer, startRedis } from '../support/services.ts'
import { openServers } from './app-kinds.ts'
import { runWithKeys, TOKEN } from './use-keys.ts'

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
    const { secrets, log } = await runWithKeys(await openServers({ redis: redis.url, mongodb: mongodb ?? '' }))
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
