import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type FailureReason, SCAN_CAUSES, type ScanCause, ScanError, SERVICE_REASONS } from '../../src/errors.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { StoreError, type Switches } from '../../src/store/types.ts'
import { until } from '../support/until.ts'
import { type HostOptions, newSite, openHost, scanOf, type TestHost } from './app-fixture.ts'
import { type HostStores, openEmbedded, overrideStore } from './app-kinds.ts'
import { heldScan } from './held-scan.ts'

const INTERNAL = 'connect ECONNREFUSED 10.0.0.5:27017 /srv/app'

const linesOf = (host: TestHost): Record<string, unknown>[] =>
  host
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** Embedded stores, one method of which fails. */
async function failingStores(method: string, error: Error, isUp = true): Promise<HostStores> {
  const stores = await openEmbedded()
  return { ...stores, store: overrideStore(stores.store, { method, run: () => Promise.reject(error), isUp }) }
}

async function switchedStores(change: Partial<Switches>): Promise<HostStores> {
  const stores = await openEmbedded()
  await stores.store.settings.setSwitches(change)
  return stores
}

const away = new StoreError(INTERNAL)
const scanFails = (cause: ScanCause) => async (): Promise<HostOptions> => ({
  scan: async () => {
    throw new ScanError(cause, { cause: new Error(INTERNAL) })
  },
})

const causes = (Object.keys(SCAN_CAUSES) as ScanCause[]).filter((cause) => /^[su]/.test(SCAN_CAUSES[cause][0]))
const me = '/api/v1/me'
const cases: (readonly [reason: FailureReason, status: number, url: string, options: () => Promise<HostOptions>])[] = [
  ...causes.map(
    (cause) => [cause, cause === 'busy' ? 503 : 500, scanOf('https://a.example.org'), scanFails(cause)] as const,
  ),
  ['maintenance', 503, me, async () => ({ stores: await switchedStores({ maintenance: true }) })],
  ['api_off', 503, me, async () => ({ stores: await switchedStores({ apiOff: true }) })],
  ['store_away', 503, me, async () => ({ stores: await failingStores('findKey', away) })],
  ['store_away', 503, me, async () => ({ stores: await failingStores('touch', away) })],
  ['store_away', 503, '/health/ready', async () => ({ stores: await failingStores('ping', away) })],
  ['store_away', 503, scanOf(newSite()), async () => ({ stores: await failingStores('charge', away, false) })],
  ['charge_in_doubt', 503, scanOf(newSite()), async () => ({ stores: await failingStores('charge', away) })],
  ['unexpected', 500, me, async () => ({ stores: await failingStores('touch', new TypeError(INTERNAL)) })],
]

describe('the reason of a failed request is in the log and the metric, and not in the response', () => {
  test.each(cases)('%s: %d on %s', async (reason, status, url, options) => {
    const host = await openHost(await options())
    const { secret } = await host.newKey()
    const answer = await host.call({ url, secret, headers: { 'x-request-id': 'quoted-by-the-client' } })
    expect(answer.status).toBe(status)
    const sent = answer.text + JSON.stringify(answer.headers)
    expect(sent).not.toContain('10.0.0.5')
    if (reason !== 'maintenance' && url !== '/health/ready') expect(sent).not.toContain(reason)
    const line = linesOf(host).find(({ msg, requestId }) => msg === 'answered' && requestId === 'quoted-by-the-client')
    expect(line).toMatchObject({ status, reason, level: 40 })
    if (reason in SCAN_CAUSES)
      expect(linesOf(host).find(({ msg }) => msg === 'scan failed')).toMatchObject({ id: line?.id, reason })
    // Switches and health checks have no cause to log.
    if (!['maintenance', 'api_off'].includes(reason) && url !== '/health/ready') expect(host.log()).toContain(INTERNAL)
    const counted = await host.parts.metrics.registry.metrics()
    expect(counted).toMatch(
      new RegExp(`^siteprint_requests_total\\{.*status="${status}",reason="${reason}"\\} 1$`, 'm'),
    )
  })

  test('queue_full and queue_timeout', async () => {
    const held = heldScan()
    const host = await openHost({ settings: { scanConcurrency: 1 }, scan: held.scan })
    const keys = await Promise.all([1, 2].map(() => host.newKey()))
    const first = host.call({ url: scanOf(newSite()), secret: keys[0].secret })
    await until(held.count, 1)
    const others = Array.from({ length: 129 }, (_, i) =>
      host.call({ url: scanOf(newSite()), secret: keys[i % 2].secret }),
    )
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(129).fill(503))
    held.land()
    expect((await first).status).toBe(200)
    const counted = await host.parts.metrics.registry.metrics()
    expect(counted).toContain('status="503",reason="queue_full"} 1\n')
    expect(counted).toContain('status="503",reason="queue_timeout"} 128\n')
    const ids = linesOf(host).flatMap(({ reason, msg, id }) =>
      reason === 'queue_full' && (msg === 'answered' || msg === 'scan rejected') ? [id] : [],
    )
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
  })

  test('draining', async () => {
    const host = await openHost()
    host.host.drain()
    await host.call({ url: '/health/ready' })
    expect(linesOf(host).at(-1)).toMatchObject({ status: 503, reason: 'draining' })
  })

  test('each is documented', () => {
    const text = readFileSync(join(projectFolder(), 'docs/operating.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `(\w+)`(?:, `(\w+)`)* \|.*$/gm)].map(([row]) => row.split('|')[1])
    const reasons = [...SERVICE_REASONS, ...causes]
    expect(reasons.filter((reason) => !rows.some((row) => row.includes(`\`${reason}\``)))).toEqual([])
  })
})

test('a response below 500 has no reason', async () => {
  const host = await openHost()
  const { secret } = await host.newKey()
  for (const url of [scanOf('nothing'), scanOf('http://localhost'), '/api/v1/nothing', me])
    await host.call({ url, secret })
  expect(linesOf(host).filter(({ reason }) => reason !== undefined)).toEqual([])
  expect(await host.parts.metrics.registry.metrics()).not.toContain('reason=')
})

test('health checks that succeed are logged at debug level, those that fail at warn', async () => {
  const host = await openHost()
  await host.call({ url: '/health/live' })
  await host.call({ url: '/health/ready' })
  host.host.drain()
  await host.call({ url: '/health/ready' })
  const levels = linesOf(host).flatMap(({ route, level }) => (`${route}`.startsWith('/health/') ? [level] : []))
  expect(levels).toEqual([20, 20, 40])
})

test('metrics tell what runs, and which switches are on', async () => {
  const stores = await switchedStores({ maintenance: true })
  const host = await openHost({ stores })
  const read = (): Promise<string> => host.parts.metrics.registry.metrics()
  const { version, rules } = host.parts
  expect(await read()).toContain(
    `siteprint_build_info{version="${version}",ruleset="${rules.version}",node="${process.version}"} 1\n`,
  )
  const switches = async (): Promise<string[]> => (await read()).match(/(?<=^siteprint_switch_on).*/gm) ?? []
  expect(await switches()).toEqual(['{switch="maintenance"} 1', '{switch="api_off"} 0'])
  await stores.store.settings.setSwitches({ maintenance: false, apiOff: true })
  await until(switches, ['{switch="maintenance"} 0', '{switch="api_off"} 1'])
  expect(host.log()).toContain('an operator changed the switches')
})
