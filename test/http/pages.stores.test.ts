import { describe, expect, test } from 'vitest'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'
import { SAMPLE_RULES, sampleScan } from '../support/sample-scan.ts'
import { newSite, openApp, scanOf, type TestApp, type TestKey } from './app-fixture.ts'
import { type AppStores, findAppKind } from './app-kinds.ts'

/** The result of a site of which `read` pages were read. */
function scanPages(url: string, pages = 1, read = pages): LiveScan {
  const { verdict, ...scan } = sampleScan(url)
  if (pages === 1) return { verdict, ...scan }
  const { builder, builderSlug, confidence, siteType, technologies } = verdict
  const part = { builder, builderSlug, confidence, siteType, technologies }
  return { verdict, ...scan, parts: Array.from({ length: read }, (_, i) => ({ url: `${url}${i || ''}`, ...part })) }
}

const kind = await findAppKind('http: pages')
describe.skipIf(kind.isMissing).each([kind])('several pages on $name', ({ open }) => {
  /** Opens an app whose sites have three pages, with a plan of `perMonth` scans and at most four pages. */
  async function openPages(perMonth: number, stores?: AppStores): Promise<TestApp & { readonly asked: number[] }> {
    const asked: number[] = []
    const plan = { name: 'free', perMinute: 100_000, perMonth, keys: 1, pages: 4 }
    const app = await openApp({
      stores: stores ?? (await open()),
      settings: { plans: new Map([['free', plan]]) },
      parts: {
        rules: new CurrentRules(SAMPLE_RULES),
        scan: async ({ url }, _client, _ruleset, { pages = 1 }) => {
          asked.push(pages)
          return scanPages(url.href, pages, Math.min(pages, 3))
        },
      },
    })
    return { ...app, asked }
  }
  const findUsed = async (app: TestApp, { secret }: TestKey): Promise<number> =>
    (await app.call({ url: '/api/v1/me', secret })).body.requests_used

  test('each page that was read is charged, also from the cache, and once for each number of pages', async () => {
    const app = await openPages(100)
    const key = await app.newKey({ plan: 'free' })
    const site = newSite()
    const steps: [more: string, cached: boolean, parts: number | undefined, used: number, scans: number[]][] = [
      ['', false, undefined, 1, [1]],
      ['&pages=1', true, undefined, 2, [1]],
      ['&pages=4', false, 3, 5, [1, 4]],
      ['&pages=4&include=meta', true, 3, 8, [1, 4]],
      ['&pages=2', false, 2, 10, [1, 4, 2]],
      ['&pages=4&fresh=1', false, 3, 13, [1, 4, 2, 4]],
    ]
    for (const [more, cached, parts, used, scans] of steps) {
      const { status, body, headers } = await app.call({ url: scanOf(site, more), secret: key.secret })
      expect([status, body.cached, body.parts?.length]).toEqual([200, cached, parts])
      expect(headers['x-quota-remaining']).toBe(`${100 - used}`)
      expect(app.asked).toEqual(scans)
    }
    const body = { url: site, pages: 4, include: ['meta'] }
    const posted = await app.call({ method: 'POST', url: '/api/v1/scan', body, secret: key.secret })
    expect(Object.keys(posted.body).slice(-3)).toEqual(['cached', 'parts', 'meta'])
    expect(await findUsed(app, key)).toBe(16)
  })

  test('a quota that does not suffice charges nothing and says how many scans are left', async () => {
    const app = await openPages(5)
    const key = await app.newKey({ plan: 'free' })
    const site = newSite()
    const ask = (more: string) => app.call({ url: scanOf(site, more), secret: key.secret })
    expect((await ask('&pages=4')).status).toBe(200)
    for (const more of ['&pages=3', '&pages=4']) {
      const { status, body } = await ask(more)
      expect([status, body.code]).toEqual([429, 'quota_exceeded'])
      expect(body.error).toContain('has 2 scans left')
    }
    expect((await ask('&pages=2')).status).toBe(200)
    expect((await ask('')).status).toBe(429)
    expect(await findUsed(app, key)).toBe(5)
    expect(app.asked).toEqual([4, 2])
  })

  test('of concurrent requests, so many are charged as the quota allows', async () => {
    const app = await openPages(32)
    const key = await app.newKey({ plan: 'free' })
    const site = newSite()
    const sent = Array.from({ length: 40 }, (_, i) =>
      app.call({ url: scanOf(site, i % 2 === 0 ? '&pages=3' : ''), secret: key.secret }),
    )
    const answers = await Promise.all(sent)
    const charged = answers.reduce((sum, { status, body }) => sum + (status === 200 ? (body.parts?.length ?? 1) : 0), 0)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
    expect(await findUsed(app, key)).toBe(charged)
    expect(charged).toBeGreaterThanOrEqual(30)
    expect(charged).toBeLessThanOrEqual(32)
  })

  const WHOLE = 'pages must be a whole number from 1 to 5.'
  test.each<[query: string, sentence: string]>([
    ['pages=5', 'The plan of the key allows at most 4 pages.'],
    ['pages=6', WHOLE],
    ['pages=0', WHOLE],
    ['pages=-1', WHOLE],
    ['pages=2.5', WHOLE],
    ['pages=', WHOLE],
    ['pages=two', WHOLE],
    ['pages=2&pages=3', WHOLE],
    ['page=2', 'Did you mean "pages"?'],
  ])('%s is an error', async (query, sentence) => {
    const app = await openPages(9)
    const key = await app.newKey({ plan: 'free' })
    const { status, body } = await app.call({ url: scanOf(newSite(), `&${query}`), secret: key.secret })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(sentence)
    expect([app.asked, await findUsed(app, key)]).toEqual([[], 0])
  })

  test('revision 1 does not know it', async () => {
    const app = await openPages(9)
    const { secret } = await app.newKey({ plan: 'free', revision: 1 })
    const { status, body } = await app.call({ url: scanOf(newSite(), '&pages=2'), secret })
    expect(status).toBe(400)
    expect(body.error).toBe('Unknown parameter "pages". Known parameters: url, include, fresh.')
  })

  test('batches do not know it', async () => {
    const app = await openPages(9)
    const { secret } = await app.newKey({ plan: 'free' })
    const body = { urls: ['https://example.org'], pages: 2 }
    const answer = await app.call({ method: 'POST', url: '/api/v1/batches', body, secret })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  })
})
