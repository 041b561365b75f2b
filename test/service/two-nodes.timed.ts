import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BuiltProject, smallProject } from '../support/built-project.ts'
import { mongoUrl, redisUrl } from '../support/services.ts'
import { LOCAL_BLOCK, type LocalSite, openSite } from './local-site.ts'
import { askWithinMinute, Nodes, scanOf } from './nodes.ts'
import { type RunningService, startService, writePlans } from './start-service.ts'

const redis = await redisUrl('two nodes')
const mongo = mongoUrl('two nodes')
const LATER_MS = 5000

/** Adds up responses by their status: a node that waits too long for Redis scans again, which is not what these tests are about. */
function countStatuses(counts: Readonly<Record<string, number>>): Record<string, number> {
  const statuses: Record<string, number> = {}
  for (const [outcome, count] of Object.entries(counts)) {
    const [status] = outcome.split(' ')
    statuses[status] = (statuses[status] ?? 0) + count
  }
  return statuses
}

describe.skipIf(redis === null || mongo === null)('two nodes on one Redis and one MongoDB', () => {
  const plans = writePlans({ minute: [60, 1_000_000], month: [1_000_000, 1000], large: [1_000_000, 1_000_000] })
  const settings = {
    REDIS_URL: String(redis),
    MONGODB_URL: String(mongo),
    KEY_PEPPER: 'thirty-two characters, or more of them',
    PLANS_FILE: plans,
    SCAN_ALLOW: LOCAL_BLOCK,
    LOG_LEVEL: 'warn',
  }
  let project: BuiltProject
  let site: LocalSite
  let nodes: RunningService[]
  let both: Nodes
  let crowd: Nodes
  beforeAll(async () => {
    project = smallProject()
    site = await openSite()
    nodes = await Promise.all([startService(project, settings), startService(project, settings)])
    const urls = nodes.map(({ url }) => url)
    both = new Nodes({ project, settings, urls })
    crowd = new Nodes({ project, settings, urls, connections: 500 })
  })

  afterAll(() => Promise.all([both?.close(), crowd?.close()]))

  test('2,000 concurrent requests against 60 a minute: exactly 60 pass', async () => {
    expect(await askWithinMinute(both, 2000)).toEqual({ '200 fine': 60, '429 rate_limited': 1940 })
  })

  test('3,000 concurrent cached scans against 1,000 a month: exactly 1,000 pass', async () => {
    const { key: other } = await both.makeKey('large')
    const path = scanOf(site.page(1))
    expect(await both.ask(0, path, other)).toBe('200 cached false')
    const { key, id } = await both.makeKey('month')
    expect(countStatuses(await both.askMany(3000, path, key))).toEqual({ 200: 1000, 429: 2000 })
    expect(await both.usedOf(id)).toBe(1000)
  })

  test('1,000 requests for one new URL: one fetch, each is charged once', async () => {
    const { key, id } = await both.makeKey('large')
    const path = scanOf(site.page(2, '/slow'))
    const { '200 cached false': joined, '200 cached true': late = 0, ...failed } = await crowd.askMany(1000, path, key)
    expect({ failed, all: joined + late }).toEqual({ failed: {}, all: 1000 })
    expect(joined).toBeGreaterThan(500) // Requests that arrived during the scan: on a slow machine not all of them do.
    expect({ visits: site.visits.get('127.1.0.2 /slow'), used: await both.usedOf(id) }).toEqual({
      visits: 1,
      used: 1000,
    })
    expect(await both.untilAll('200 cached true', path, key)).toBeLessThan(LATER_MS)
  })

  test('8 concurrent charges on the first of a month, for each of 5 new keys: none is lost', async () => {
    const keys = []
    for (let i = 0; i < 5; i++) keys.push(await both.makeKey('large'))
    const counts = await Promise.all(keys.map(({ key }) => both.askMany(8, scanOf(site.page(1)), key)))
    expect(counts.map(countStatuses)).toEqual(keys.map(() => ({ 200: 8 })))
    expect(await Promise.all(keys.map(({ id }) => both.usedOf(id)))).toEqual(keys.map(() => 8))
  })

  test('a revoked key stops working on both nodes within 5 s', async () => {
    const { key, id } = await both.makeKey('large')
    expect(await both.untilAll('200 fine', '/api/v1/me', key)).toBeLessThan(LATER_MS)
    await both.command('keys', 'revoke', id)
    expect(await both.untilAll('401 unauthorized', '/api/v1/me', key)).toBeLessThan(LATER_MS)
  })

  test.each([
    [['maintenance', 'on'], '503 maintenance', ['maintenance', 'off']],
    [['api', 'off'], '503 unavailable', ['api', 'on']],
  ])('service %j holds on both within 5 s, and so does its opposite', async (on, answer, off) => {
    const { key } = await both.makeKey('large')
    await both.command('service', ...on)
    expect(await both.untilAll(answer, '/api/v1/me', key)).toBeLessThan(LATER_MS)
    expect((await fetch(`${nodes[0].url}/health/ready`)).status).toBe(200)
    await both.command('service', ...off)
    expect(await both.untilAll('200 fine', '/api/v1/me', key)).toBeLessThan(LATER_MS)
  })

  test('no error was logged', async () => {
    for (const { child } of nodes) child.kill('SIGTERM')
    expect(await Promise.all(nodes.map(({ ended }) => ended))).toEqual([0, 0])
    const faults = nodes.map(({ printed }) => printed.stderr.match(/"level":"(?:error|fatal)".*/g))
    expect(faults).toEqual([null, null])
  })
})
