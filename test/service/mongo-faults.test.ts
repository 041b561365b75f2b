import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildProject } from '../built-project.ts'
import { type OwnServer, redisUrl, startMongo } from '../services.ts'
import { load, type Tally } from './hammer.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { Nodes, scanOf } from './nodes.ts'
import { type RunningService, startService, writePlans } from './start-service.ts'

const SUITE = 'service: faults of MongoDB'
const redis = redisUrl(SUITE)
const mongo: OwnServer | null = await startMongo(SUITE)
afterAll(() => mongo?.stop())

/** Demanded of an answer while the store is away; what this machine, which runs all tests at once, may add. */
const ANSWER_MS = 1000
const MACHINE_MS = 500
const CLIENTS = 8

describe.skipIf(redis === null || mongo === null)('under load', () => {
  let site: LocalSite
  let service: RunningService
  let node: Nodes
  beforeAll(async () => {
    const project = buildProject()
    site = await openSite()
    const settings = {
      REDIS_URL: String(redis),
      MONGODB_URL: `${mongo?.url}/faults`,
      KEY_PEPPER: 'thirty-two characters, or more of them',
      PLANS_FILE: writePlans({ large: [1_000_000, 1_000_000] }),
      LOG_LEVEL: 'error',
    }
    service = await startService(project, { ...settings, SCAN_ALLOW: LOCAL_BLOCK })
    node = new Nodes({ project, settings, urls: [service.url] })
  })
  afterAll(() => node?.close())

  async function loadDuring(key: string, event: () => Promise<unknown>): Promise<Tally> {
    const over = new AbortController()
    const path = scanOf(site.page(1))
    const tally = load(service.url, { clients: CLIENTS, path: () => path, key, signal: over.signal, pauseMs: 5 })
    await event()
    over.abort()
    return tally
  }

  test.each<[string, () => Promise<unknown> | undefined]>([
    ['hangs', async () => mongo?.pause()],
    ['is killed', () => mongo?.kill()],
  ])('MongoDB that %s: 503 within a second, nothing is served that is not counted', async (name, fault) => {
    const { key, id } = await node.makeKey('large')
    await node.untilAll(name === 'hangs' ? '200 cached false' : '200 cached true', scanOf(site.page(1)), key)
    const usedBefore = await node.usedOf(id)
    const during = await loadDuring(key, async () => {
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
    const backMs = await node.untilAll('200 cached true', scanOf(site.page(1)), key)
    process.stderr.write(`MongoDB that ${name}: full service ${Math.round(backMs)} ms after its return\n`)
    expect(backMs).toBeLessThan(5000)
    const counted = (await node.usedOf(id)) - usedBefore - 1 // Without the one that told us so.
    expect(counted).toBeGreaterThanOrEqual(during.counts['200'])
    expect(counted).toBeLessThanOrEqual(during.counts['200'] + CLIENTS)
    const after = await loadDuring(key, () => sleep(1000))
    expect(Object.keys(after.counts)).toEqual(['200'])
  })
})
