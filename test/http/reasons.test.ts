import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type FailureReason, SCAN_CAUSES, type ScanCause, ScanError, SERVICE_REASONS } from '../../src/errors.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { StoreError, type Switches } from '../../src/store/types.ts'
import { until } from '../support/until.ts'
import { type AppOptions, newSite, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { type AppStores, openEmbedded, overrideStore } from './app-kinds.ts'
import { pauseScans } from './paused-scan.ts'

const INTERNAL = 'connect ECONNREFUSED 10.0.0.5:27017 /srv/app'

const linesOf = (app: TestApp): Record<string, unknown>[] =>
  app
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Opens embedded stores with one failing method. */
async function failingStores(method: string, error: Error, isUp = true): Promise<AppStores> {
  const stores = await openEmbedded()
  return { ...stores, store: overrideStore(stores.store, { method, run: () => Promise.reject(error), isUp }) }
}

async function switchedStores(change: Partial<Switches>): Promise<AppStores> {
  const stores = await openEmbedded()
  await stores.store.settings.setSwitches(change)
  return stores
}

const away = new StoreError(INTERNAL)
const scanFails = (cause: ScanCause) => async (): Promise<AppOptions> => ({
  scan: async () => {
    throw new ScanError(cause, { cause: new Error(INTERNAL) })
  },
})

const causes = (Object.keys(SCAN_CAUSES) as ScanCause[]).filter((cause) => /^[su]/.test(SCAN_CAUSES[cause][0]))
const me = '/api/v1/me'
const cases: (readonly [reason: FailureReason, status: number, url: string, options: () => Promise<AppOptions>])[] = [
  ...causes.map(
    (cause) => [cause, cause === 'busy' ? 503 : 500, scanOf('https://a.example.org'), scanFails(cause)] as const,
  ),
  ['maintenance', 503, me, async () => ({ stores: await switchedStores({ maintenance: true }) })],
  ['api_off', 503, me, async () => ({ stores: await switchedStores({ apiOff: true }) })],
  ['store_away', 503, me, async () => ({ stores: await failingStores('findKey', away) })],
  ['store_away', 503, me, async () => ({ stores: await failingStores('touch', away) })],
  ['store_away', 503, '/health/ready', async () => ({ stores: await failingStores('ping', away, false) })],
  ['store_away', 503, scanOf(newSite()), async () => ({ stores: await failingStores('charge', away, false) })],
  ['charge_in_doubt', 503, scanOf(newSite()), async () => ({ stores: await failingStores('charge', away) })],
  ['unexpected', 500, me, async () => ({ stores: await failingStores('touch', new TypeError(INTERNAL)) })],
]

afterEach(() => {
  vi.useRealTimers()
})

describe('the reason of a failed request is in the log and the metric, and not in the response', () => {
  test.each(cases)('%s: %d on %s', async (reason, status, url, options) => {
    const app = await openApp(await options())
    const { secret } = await app.newKey()
    const answer = await app.call({ url, secret, headers: { 'x-request-id': 'quoted-by-the-client' } })
    expect(answer.status).toBe(status)
    const sent = answer.text + JSON.stringify(answer.headers)
    expect(sent).not.toContain('10.0.0.5')
    if (reason !== 'maintenance' && url !== '/health/ready') expect(sent).not.toContain(reason)
    const line = linesOf(app).find(
      ({ msg, requestId }) => msg === 'request completed' && requestId === 'quoted-by-the-client',
    )
    expect(line).toMatchObject({ status, reason, level: 40 })
    if (reason in SCAN_CAUSES)
      expect(linesOf(app).find(({ msg }) => msg === 'scan failed')).toMatchObject({ id: line?.id, reason })
    // Switches and health checks have no error to log.
    if (!['maintenance', 'api_off'].includes(reason) && url !== '/health/ready') expect(app.log()).toContain(INTERNAL)
    const counted = await app.parts.metrics.registry.metrics()
    expect(counted).toMatch(
      new RegExp(`^siteprint_requests_total\\{.*status="${status}",reason="${reason}"\\} 1$`, 'm'),
    )
  })

  test('queue_full and queue_timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const held = pauseScans()
    const app = await openApp({ settings: { scanConcurrency: 1 }, scan: held.scan })
    const keys = await Promise.all([1, 2].map(() => app.newKey()))
    const first = app.call({ url: scanOf(newSite()), secret: keys[0].secret })
    await until(held.count, 1)
    const others = Array.from({ length: 129 }, (_, i) =>
      app.call({ url: scanOf(newSite()), secret: keys[i % 2].secret }),
    )
    // The request that finds the queue full is answered first.
    await Promise.race(others)
    await vi.advanceTimersByTimeAsync(2000)
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(129).fill(503))
    held.complete()
    expect((await first).status).toBe(200)
    const counted = await app.parts.metrics.registry.metrics()
    expect(counted).toContain('status="503",reason="queue_full"} 1\n')
    expect(counted).toContain('status="503",reason="queue_timeout"} 128\n')
    const ids = linesOf(app).flatMap(({ reason, msg, id }) =>
      reason === 'queue_full' && (msg === 'request completed' || msg === 'scan rejected') ? [id] : [],
    )
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
  })

  test('draining', async () => {
    const app = await openApp()
    app.drain()
    await app.call({ url: '/health/ready' })
    expect(linesOf(app).at(-1)).toMatchObject({ status: 503, reason: 'draining' })
  })

  test('each is documented', () => {
    const text = readFileSync(join(projectFolder(), 'docs/operating.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `(\w+)`(?:, `(\w+)`)* \|.*$/gm)].map(([row]) => row.split('|')[1])
    const reasons = [...SERVICE_REASONS, ...causes]
    expect(reasons.filter((reason) => !rows.some((row) => row.includes(`\`${reason}\``)))).toEqual([])
  })
})

test('a response below 500 has no reason', async () => {
  const app = await openApp()
  const { secret } = await app.newKey()
  for (const url of [scanOf('nothing'), scanOf('http://localhost'), '/api/v1/nothing', me])
    await app.call({ url, secret })
  expect(linesOf(app).filter(({ reason }) => reason !== undefined)).toEqual([])
  expect(await app.parts.metrics.registry.metrics()).not.toContain('reason=')
})

test('health checks that succeed are logged at debug level, those that fail at warn', async () => {
  const app = await openApp()
  await app.call({ url: '/health/live' })
  await app.call({ url: '/health/ready' })
  app.drain()
  await app.call({ url: '/health/ready' })
  const levels = linesOf(app).flatMap(({ route, level }) => (`${route}`.startsWith('/health/') ? [level] : []))
  expect(levels).toEqual([20, 20, 40])
})

test('metrics show the versions and the switches', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const stores = await switchedStores({ maintenance: true })
  const app = await openApp({ stores })
  const read = (): Promise<string> => app.parts.metrics.registry.metrics()
  const { version, rules } = app.parts
  expect(await read()).toContain(
    `siteprint_build_info{version="${version}",ruleset="${rules.current.version}",node="${process.version}"} 1\n`,
  )
  rules.replace({ ...rules.current, version: 'newer' })
  const infos = (await read()).match(/^siteprint_build_info.*/gm)
  expect(infos).toEqual([`siteprint_build_info{version="${version}",ruleset="newer",node="${process.version}"} 1`])
  const switches = async (): Promise<string[]> => (await read()).match(/(?<=^siteprint_switch_on).*/gm) ?? []
  expect(await switches()).toEqual(['{switch="maintenance"} 1', '{switch="api_off"} 0'])
  await stores.store.settings.setSwitches({ maintenance: false, apiOff: true })
  await vi.advanceTimersByTimeAsync(4900)
  expect(await switches()).toEqual(['{switch="maintenance"} 0', '{switch="api_off"} 1'])
  expect(app.log()).toContain('an operator changed the switches')
})
