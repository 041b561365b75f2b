import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OwnServer, redisUrl, startMongo } from '../support/services.ts'
import { loadDuring } from './hammer.ts'
import { scanOf, startNode } from './nodes.ts'
import { writePlans } from './start-service.ts'

const SUITE = 'service: faults of MongoDB'
const redis = await redisUrl(SUITE)
const mongo: OwnServer | null = await startMongo(SUITE)
afterAll(() => mongo?.stop())

/** Required response time while the store is unavailable, and the tolerance for this machine, which runs tests in parallel. */
const ANSWER_MS = 1000
const MACHINE_MS = 500
const CLIENTS = 8

describe.skipIf(redis === null || mongo === null)('under load', () => {
  let started: Awaited<ReturnType<typeof startNode>>
  beforeAll(async () => {
    started = await startNode({
      REDIS_URL: String(redis),
      MONGODB_URL: `${mongo?.url}/faults`,
      KEY_PEPPER: 'thirty-two characters, or more of them',
      PLANS_FILE: writePlans({ large: [1_000_000, 1_000_000] }),
      LOG_LEVEL: 'error',
    })
  })
  afterAll(() => started?.node.close())

  test.each<[string, () => Promise<unknown> | undefined]>([
    ['hangs', async () => mongo?.pause()],
    ['is killed', () => mongo?.kill()],
  ])('MongoDB that %s: 503 within a second, nothing is served that is not counted', async (name, fault) => {
    const { site, service, node } = started
    const path = scanOf(site.page(1))
    const { key, id } = await node.makeKey('large')
    const scans = { clients: CLIENTS, path: () => path, key, pauseMs: 20 }
    await node.untilAll('200 cached true', path, key)
    const usedBefore = await node.usedOf(id)
    const during = await loadDuring(service.url, scans, async () => {
      await sleep(1000)
      await fault()
      await sleep(4000)
    })
    expect(Object.keys(during.counts).sort()).toEqual(['200', '503 unavailable'])
    process.stderr.write(`MongoDB that ${name}: slowest answer ${Math.round(during.worstMs)} ms\n`)
    expect(during.worstMs).toBeLessThan(ANSWER_MS + MACHINE_MS)
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(503)
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
    await (name === 'hangs' ? mongo?.resume() : mongo?.restart())
    const backMs = await node.untilAll('200 cached true', path, key)
    process.stderr.write(`MongoDB that ${name}: full service ${Math.round(backMs)} ms after its return\n`)
    expect(backMs).toBeLessThan(5000)
    const counted = (await node.usedOf(id)) - usedBefore - 1 // Not counting the request that read the usage.
    expect(counted).toBeGreaterThanOrEqual(during.counts['200'])
    expect(counted).toBeLessThanOrEqual(during.counts['200'] + CLIENTS)
    const after = await loadDuring(service.url, scans, () => sleep(1000))
    expect(Object.keys(after.counts)).toEqual(['200'])
  })
})
