import { describe, expect, test } from 'vitest'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { newSite, onePlan, openHost, scanOf, type TestHost } from './app-fixture.ts'
import { hostKinds } from './app-kinds.ts'
import type { Answer } from './check-response.ts'
import { heldScan } from './held-scan.ts'

const MANY = 1_000_000

const many = (count: number, ask: (i: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)))

/** `{ status or code: how many }` */
function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) counts[body.code ?? status] = (counts[body.code ?? status] ?? 0) + 1
  return counts
}

/** Until so many callers have passed the quota: the next thing that they do is to join a flight. */
const allWait = (host: TestHost, count: number): Promise<void> => until(() => host.answered('usedBy') >= count, true)

const usedBy = async (host: TestHost, secret: string): Promise<number> =>
  (await host.call({ url: '/api/v1/me', secret })).body.requests_used

describe.each(hostKinds('host: concurrency'))('at once on $name', ({ isMissing, open }) => {
  const onHost = (
    title: string,
    options: object,
    run: (host: TestHost, secret: string, site: string) => Promise<void>,
  ): void =>
    test.skipIf(isMissing)(title, async () => {
      const host = await openHost({ stores: await open(), settings: onePlan(MANY, MANY), ...options })
      await run(host, (await host.newKey({ plan: 'free' })).secret, scanOf(newSite()))
    })

  onHost('5,000 requests against a limit of 60', { settings: onePlan(60, MANY) }, async (host, secret, site) => {
    const answers = await many(5000, (i) => host.call({ url: i % 2 === 0 ? site : '/api/v1/me', secret }))
    expect(tally(answers)).toEqual({ 200: 60, rate_limited: 4940 })
    const left = answers.filter(({ status }) => status === 200).map(({ headers }) => headers['x-ratelimit-remaining'])
    expect(left.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, i) => i))
  })

  onHost('3,000 cached scans against a quota of 1,000', { settings: onePlan(MANY, 1000) }, async (host, _, site) => {
    const other = await host.newKey({ plan: 'free' })
    await host.call({ url: site, secret: other.secret })
    const { secret } = await host.newKey({ plan: 'free' })
    expect(tally(await many(3000, () => host.call({ url: site, secret })))).toEqual({ 200: 1000, quota_exceeded: 2000 })
    expect(await usedBy(host, secret)).toBe(1000)
    expect(await usedBy(host, other.secret)).toBe(1)
    expect(host.scanned).toHaveLength(1)
  })

  const one = heldScan()
  onHost(
    '1,000 callers of one new URL: one scan, each charged once',
    { scan: one.scan },
    async (host, secret, site) => {
      const keys = await Promise.all([1, 2, 3].map(() => host.newKey({ plan: 'free' })))
      const secrets = [secret, ...keys.map((key) => key.secret)]
      const asked = many(1000, (i) => host.call({ url: site, secret: secrets[i % 4] }))
      await until(() => host.scanned.length, 1)
      await allWait(host, 1000)
      one.land()
      const answers = await asked
      expect(tally(answers)).toEqual({ 200: 1000 })
      expect(host.scanned).toHaveLength(1)
      for (const each of secrets) expect(await usedBy(host, each)).toBe(250)
      expect((await host.call({ url: site, secret })).body.cached).toBe(true)
    },
  )

  const failed = heldScan()
  onHost(
    'an error reaches all who wait, nobody is charged, the next one tries again',
    { scan: failed.scan },
    async (host, secret, site) => {
      const asked = many(200, () => host.call({ url: site, secret }))
      await until(() => host.scanned.length, 1)
      await allWait(host, 200)
      failed.fail()
      const answers = await asked
      expect(tally(answers)).toEqual({ scan_failed: 200 })
      expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1)
      expect(await usedBy(host, secret)).toBe(0)
      const again = host.call({ url: site, secret })
      await until(() => host.scanned.length, 2)
      failed.land()
      const { status, body } = await again
      expect([status, body.cached]).toEqual([200, false])
    },
  )

  const fresh = heldScan()
  onHost(
    'fresh joins a flight under way, and starts one where none is',
    { scan: fresh.scan },
    async (host, secret, site) => {
      const first = host.call({ url: site, secret })
      await until(() => host.scanned.length, 1)
      const joined = host.call({ url: `${site}&fresh=true`, secret })
      await allWait(host, 2)
      fresh.land()
      for (const { body } of await Promise.all([first, joined])) expect(body.cached).toBe(false)
      expect(host.scanned).toHaveLength(1)
      const again = host.call({ url: `${site}&fresh=true`, secret })
      await until(() => host.scanned.length, 2)
      fresh.land()
      expect((await again).body.cached).toBe(false)
    },
  )

  const edge = heldScan()
  onHost(
    '8 who wait for one scan with 3 left of the quota',
    { scan: edge.scan, settings: onePlan(MANY, 3) },
    async (host, secret, site) => {
      const asked = many(8, () => host.call({ url: site, secret }))
      await until(() => host.scanned.length, 1)
      await allWait(host, 8)
      edge.land()
      expect(tally(await asked)).toEqual({ 200: 3, quota_exceeded: 5 })
      expect(await usedBy(host, secret)).toBe(3)
    },
  )

  onHost(
    'one spelling or another, one flight',
    { scan: async (url: string) => sampleScan(url) },
    async (host, secret) => {
      const spelled = ['https://one.example.org', 'HTTPS://ONE.EXAMPLE.org:443/#a', 'https://one.example.org./']
      await many(30, (i) => host.call({ url: scanOf(spelled[i % 3]), secret }))
      expect(host.scanned).toEqual(['https://one.example.org/'])
    },
  )
})
