import { describe, expect, test } from 'vitest'
import { sampleScan } from '../support/sample-scan.ts'
import { chooseStores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { newSite, onePlan, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'
import type { Answer } from './check-response.ts'
import { pauseScans } from './paused-scan.ts'
import { sendAll } from './send-all.ts'

const MANY = 1_000_000
/** Requests of a large crowd. Those of one process wait for no server, so that fewer of them show the same. */
const CROWD = chooseStores({ embedded: () => 600, servers: () => 2000 })

/** Counts responses: `{ status or code: count }`. */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) counts[body.code ?? status] = (counts[body.code ?? status] ?? 0) + 1
  return counts
}

/** Waits until this number of requests has passed the quota check: next they join an in-flight scan. */
const allWait = (app: TestApp, count: number): Promise<void> => until(() => app.answered('usedBy') >= count, true)

const usedBy = async (app: TestApp, secret: string): Promise<number> =>
  (await app.call({ url: '/api/v1/me', secret })).body.requests_used

const kind = await findAppKind('http: concurrency')
describe.skipIf(kind.isMissing).each([kind])('concurrent requests on $name', ({ open }) => {
  const onApp = (
    title: string,
    options: object,
    run: (app: TestApp, secret: string, site: string) => Promise<void>,
  ): void =>
    test(title, async () => {
      const app = await openApp({ stores: await open(), settings: onePlan(MANY, MANY), ...options })
      await run(app, (await app.newKey({ plan: 'free' })).secret, scanOf(newSite()))
    })

  onApp(`${CROWD} requests against a limit of 60`, { settings: onePlan(60, MANY) }, async (app, secret, site) => {
    const answers = await sendAll(CROWD, (i) => app.call({ url: i % 2 === 0 ? site : '/api/v1/me', secret }))
    expect(tally(answers)).toEqual({ 200: 60, rate_limited: CROWD - 60 })
    const left = answers.filter(({ status }) => status === 200).map(({ headers }) => headers['x-ratelimit-remaining'])
    expect(left.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i))
  })

  onApp(`${CROWD} cached scans against a quota of 400`, { settings: onePlan(MANY, 400) }, async (app, _, site) => {
    const other = await app.newKey({ plan: 'free' })
    await app.call({ url: site, secret: other.secret })
    const { secret } = await app.newKey({ plan: 'free' })
    expect(tally(await sendAll(CROWD, () => app.call({ url: site, secret })))).toEqual({
      200: 400,
      quota_exceeded: CROWD - 400,
    })
    expect(await usedBy(app, secret)).toBe(400)
    expect(await usedBy(app, other.secret)).toBe(1)
    expect(app.scanned).toHaveLength(1)
  })

  const one = pauseScans()
  onApp('200 callers of one new URL: one scan, each charged once', { scan: one.scan }, async (app, secret, site) => {
    const keys = await Promise.all([1, 2, 3].map(() => app.newKey({ plan: 'free' })))
    const secrets = [secret, ...keys.map((key) => key.secret)]
    const asked = sendAll(200, (i) => app.call({ url: site, secret: secrets[i % 4] }))
    await until(() => app.scanned.length, 1)
    await allWait(app, 200)
    one.complete()
    const answers = await asked
    expect(tally(answers)).toEqual({ 200: 200 })
    expect(app.scanned).toHaveLength(1)
    for (const each of secrets) expect(await usedBy(app, each)).toBe(50)
    expect((await app.call({ url: site, secret })).body.cached).toBe(true)
  })

  const failed = pauseScans()
  onApp(
    'an error reaches all waiting requests, none is charged, the next request scans again',
    { scan: failed.scan },
    async (app, secret, site) => {
      const asked = sendAll(200, () => app.call({ url: site, secret }))
      await until(() => app.scanned.length, 1)
      await allWait(app, 200)
      failed.fail()
      const answers = await asked
      expect(tally(answers)).toEqual({ scan_failed: 200 })
      expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1)
      expect(await usedBy(app, secret)).toBe(0)
      const again = app.call({ url: site, secret })
      await until(() => app.scanned.length, 2)
      failed.complete()
      const { status, body } = await again
      expect([status, body.cached]).toEqual([200, false])
    },
  )

  const fresh = pauseScans()
  onApp(
    'fresh joins an in-flight scan, and starts one if there is none',
    { scan: fresh.scan },
    async (app, secret, site) => {
      const first = app.call({ url: site, secret })
      await until(() => app.scanned.length, 1)
      const joined = app.call({ url: `${site}&fresh=true`, secret })
      await allWait(app, 2)
      fresh.complete()
      for (const { body } of await Promise.all([first, joined])) expect(body.cached).toBe(false)
      expect(app.scanned).toHaveLength(1)
      const again = app.call({ url: `${site}&fresh=true`, secret })
      await until(() => app.scanned.length, 2)
      fresh.complete()
      expect((await again).body.cached).toBe(false)
    },
  )

  const edge = pauseScans()
  onApp(
    '8 requests waiting for one scan with 3 left of the quota',
    { scan: edge.scan, settings: onePlan(MANY, 3) },
    async (app, secret, site) => {
      const asked = sendAll(8, () => app.call({ url: site, secret }))
      await until(() => app.scanned.length, 1)
      await allWait(app, 8)
      edge.complete()
      expect(tally(await asked)).toEqual({ 200: 3, quota_exceeded: 5 })
      expect(await usedBy(app, secret)).toBe(3)
    },
  )

  onApp(
    'different spellings of a URL, one in-flight scan',
    { scan: async (url: string) => sampleScan(url) },
    async (app, secret) => {
      const spelled = ['https://one.example.org', 'HTTPS://ONE.EXAMPLE.org:443/#a', 'https://one.example.org./']
      await sendAll(30, (i) => app.call({ url: scanOf(spelled[i % 3]), secret }))
      expect(app.scanned).toEqual(['https://one.example.org/'])
    },
  )
})
