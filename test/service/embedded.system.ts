import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LocalSite } from './local-site.ts'
import { askWithinMinute, type Nodes, scanOf, startNode } from './nodes.ts'
import { makeFolder, type RunningService, writePlans } from './start-service.ts'

const LATER_MS = 5000
const settings = {
  DATA_DIR: makeFolder(),
  PLANS_FILE: writePlans({ minute: [60, 1_000_000], month: [1_000_000, 1000], large: [1_000_000, 1_000_000] }),
  LOG_LEVEL: 'warn',
}
let site: LocalSite
let service: RunningService
let node: Nodes
beforeAll(async () => {
  ;({ site, service, node } = await startNode(settings, 500))
})
afterAll(() => node?.close())

test('2,000 concurrent requests against 60 a minute: exactly 60 pass', async () => {
  const counts = await askWithinMinute(node, 2000)
  expect(counts).toEqual({ '200 fine': 60, '429 rate_limited': 1940 })
})

test('3,000 concurrent cached scans against 1,000 a month: exactly 1,000 pass', async () => {
  const path = scanOf(site.page(1))
  expect(await node.ask(0, path, service.key)).toBe('200 cached false')
  const { key, id } = await node.makeKey('month')
  expect(await node.askMany(3000, path, key)).toEqual({ '200 cached true': 1000, '429 quota_exceeded': 2000 })
  expect(await node.usedOf(id)).toBe(1000)
})

test('500 requests for one new URL: one fetch, each is charged once', async () => {
  const { key, id } = await node.makeKey('large')
  expect(await node.askMany(500, scanOf(site.page(2, '/slow')), key)).toEqual({ '200 cached false': 500 })
  expect({ visits: site.visits.get('127.1.0.2 /slow'), used: await node.usedOf(id) }).toEqual({ visits: 1, used: 500 })
})

test('creating, rotating and revoking a key in another process takes effect within 5 s', async () => {
  const { key, id } = await node.makeKey('large')
  expect(await node.untilAll('200 fine', '/api/v1/me', key)).toBeLessThan(LATER_MS)
  const second = await node.command('keys', 'rotate', id, '--overlap', '0')
  expect(await node.untilAll('401 unauthorized', '/api/v1/me', key)).toBeLessThan(LATER_MS)
  expect(await node.ask(0, '/api/v1/me', second)).toBe('200 fine')
  await node.command('keys', 'revoke', id)
  expect(await node.untilAll('401 unauthorized', '/api/v1/me', second)).toBeLessThan(LATER_MS)
})

test('a switch turned in another process takes effect within 5 s', async () => {
  const { key } = await node.makeKey('large')
  await node.command('service', 'maintenance', 'on')
  expect(await node.untilAll('503 maintenance', '/api/v1/me', key)).toBeLessThan(LATER_MS)
  await node.command('service', 'maintenance', 'off')
  expect(await node.untilAll('200 fine', '/api/v1/me', key)).toBeLessThan(LATER_MS)
})

test('no error was logged', async () => {
  service.child.kill('SIGTERM')
  expect(await service.ended).toBe(0)
  expect(service.printed.stderr).not.toMatch(/"level":"(?:error|fatal)"/)
})
