import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OwnServer, startRedis } from '../support/services.ts'
import { loadDuring, type Tally } from './hammer.ts'
import { scanOf, startNode } from './nodes.ts'
import { makeFolder, writePlans } from './start-service.ts'

const redis: OwnServer | null = await startRedis('service: faults of Redis')
afterAll(() => redis?.stop())

/** Tolerated increase of the response time. The required limit is 300 ms; the rest is for the machine. */
const MORE_MS = 600

describe.skipIf(redis === null)('under load', () => {
  let started: Awaited<ReturnType<typeof startNode>>
  beforeAll(async () => {
    const plans = writePlans({ free: [1_000_000, 1_000_000] })
    const settings = { REDIS_URL: String(redis?.url), DATA_DIR: makeFolder(), PLANS_FILE: plans, LOG_LEVEL: 'error' }
    started = await startNode(settings)
    await started.node.ask(0, scanOf(started.site.page(1)), started.service.key)
  })
  afterAll(() => started?.node.close())

  /** Requests key info and a page, before and after an event. */
  function tallyOf(event: () => Promise<void>): Promise<Tally> {
    const { site, service } = started
    const paths = ['/api/v1/me', scanOf(site.page(1))]
    const options = { clients: 8, path: (n: number) => paths[n % 2], key: service.key, pauseMs: 10 }
    return loadDuring(service.url, options, async () => {
      await sleep(500)
      await event()
    })
  }

  test.each<[string, () => Promise<unknown> | undefined]>([
    ['hangs', async () => redis?.pause()],
    ['is killed', () => redis?.kill()],
  ])('Redis that %s: answers keep coming, and hardly later', async (name, fault) => {
    const { site, service, node } = started
    const calm = await tallyOf(() => sleep(1000))
    const during = await tallyOf(async () => {
      await fault()
      await sleep(2500)
    })
    const after = await tallyOf(async () => {
      await (name === 'hangs' ? redis?.resume() : redis?.restart())
      await sleep(1500)
    })
    for (const { counts } of [calm, during, after]) expect(Object.keys(counts)).toEqual(['200'])
    const worst = [calm, during, after].map(({ worstMs }) => Math.round(worstMs))
    process.stderr.write(`Redis that ${name}: slowest answer before, during, after: ${worst.join(', ')} ms\n`)
    expect(Math.max(during.worstMs, after.worstMs)).toBeLessThan(calm.worstMs + MORE_MS)
    // Redis is used again: it has the page, or caches it at the next request.
    await node.ask(0, scanOf(site.page(1)), service.key)
    expect(await node.untilAll('200 cached true', scanOf(site.page(1)), service.key)).toBeLessThan(5000)
  })
})
