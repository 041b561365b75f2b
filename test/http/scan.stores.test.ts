import { beforeAll, describe, expect, test } from 'vitest'
import { sampleScan } from '../support/sample-scan.ts'
import { openApp, scanOf, type TestApp, type TestKey } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const TEN = [
  ...['url', 'builder', 'builderSlug', 'confidence', 'category', 'isAiNative'],
  ...['technologies', 'hosting', 'siteType', 'cached'],
]
const NOTHING = {
  ...{ builder: null, builderSlug: null, confidence: null, category: null, isAiNative: false },
  ...{ technologies: [], hosting: null, siteType: null },
}
const HOUR_MS = 3_600_000

const kind = await findAppKind('http: scan')
describe.skipIf(kind.isMissing).each([kind])('scan on $name', ({ open }) => {
  let app: TestApp
  let key: TestKey
  let made = 0
  let minutes = 0
  const newSite = (): string => `https://site-${made++}.example.com/`
  const get = (url: string, more = '') => app.call({ url: scanOf(url, more), secret: key.secret })
  const post = (body: object) => app.call({ method: 'POST', url: '/api/v1/scan', body, secret: key.secret })
  beforeAll(async () => {
    const scan = async (url: string) => sampleScan(url, url.includes('nothing') ? NOTHING : {})
    app = await openApp({ stores: await open(), scan })
    key = await app.newKey()
  })
  /** Each test has its own rate-limit window. */
  const advanceToNextMinute = (): void => {
    app.clock.now = Date.UTC(new Date(app.clock.now).getUTCFullYear(), 4, 10, 12, 0, 15) + 2 * HOUR_MS * ++minutes
  }

  describe('responses', () => {
    test('the ten fields in order, with and without a builder', async () => {
      advanceToNextMinute()
      const found = await get(newSite())
      expect(Object.keys(found.body)).toEqual(TEN)
      expect(found.headers.age).toBeUndefined()
      expect(found.headers['content-type']).toBe('application/json; charset=utf-8')
      const site = 'https://nothing.example.com/'
      const nothing = await get(site)
      expect(nothing.body).toEqual({ url: site, ...NOTHING, cached: false })
      expect(Object.keys((await post({ url: site })).body)).toEqual(TEN)
    })

    const all = ['evidence', 'versions', 'infrastructure', 'timing', 'warnings', 'meta', 'details', 'packages']
    test.each([
      ['evidence', ['evidence']],
      ['warnings,evidence', ['evidence', 'warnings']],
      ['timing,timing', ['timing']],
      [all.join(), all],
      [[...all].reverse().join(), all],
    ])('include=%s', async (include, extras) => {
      advanceToNextMinute()
      const site = newSite()
      for (const cached of [false, true]) {
        const { status, body } = await get(site, `&include=${include}`)
        expect([status, body.cached, Object.keys(body)]).toEqual([200, cached, [...TEN, ...extras]])
      }
      for (const list of [include, include.split(',')]) {
        const { body } = await post({ url: site, include: list })
        expect(Object.keys(body)).toEqual([...TEN, ...extras])
      }
      expect(Object.keys((await post({ url: site, include: [] })).body)).toEqual(TEN)
      expect(Object.keys((await get(site)).body), 'never without include').toEqual(TEN)
    })

    test('the extras are those of the scan', async () => {
      advanceToNextMinute()
      const site = newSite()
      await get(site)
      const { body } = await get(site, `&include=${all.join()}`)
      const { infrastructure, timing, meta, details, packages, verdict } = sampleScan(site)
      const { evidence, versions, warnings } = verdict
      expect(body).toMatchObject({
        evidence,
        versions,
        infrastructure,
        timing,
        warnings,
        meta,
        details,
        packages,
        cached: true,
      })
    })

    test('a result is cached until it is exactly one hour old', async () => {
      advanceToNextMinute()
      const site = newSite()
      const start = app.clock.now
      const seen: unknown[] = []
      for (const afterMs of [0, 0, 999, 1000, 61_500, HOUR_MS - 1, HOUR_MS, HOUR_MS + 1]) {
        app.clock.now = start + afterMs
        const { body, headers } = await get(site)
        seen.push([afterMs, body.cached, headers.age])
      }
      expect(seen).toEqual([
        [0, false, undefined],
        [0, true, '0'],
        [999, true, '0'],
        [1000, true, '1'],
        [61_500, true, '61'],
        [HOUR_MS - 1, true, '3599'],
        [HOUR_MS, false, undefined],
        [HOUR_MS + 1, true, '0'],
      ])
      expect(app.scanned.filter((url) => url === site)).toHaveLength(2)
    })

    test('fresh scans again and replaces the cached result', async () => {
      advanceToNextMinute()
      const site = newSite()
      await get(site)
      app.clock.now += 10_000
      const fresh = ['true', 'True', '1'].map((value) => () => get(site, `&fresh=${value}`))
      for (const ask of [...fresh, () => post({ url: site, fresh: true })]) {
        const { body, headers } = await ask()
        expect([body.cached, headers.age]).toEqual([false, undefined])
      }
      expect(app.scanned.filter((url) => url === site)).toHaveLength(5)
      const cached = ['false', 'FALSE', '0'].map((value) => () => get(site, `&fresh=${value}`))
      for (const ask of [...cached, () => post({ url: site, fresh: false }), () => get(site)]) {
        const { body, headers } = await ask()
        expect([body.cached, headers.age]).toEqual([true, '0'])
      }
    })

    test.each([
      ['the host in upper case', 'https://ONE.Example.COM/a', 'https://one.example.com/a'],
      ['the scheme in upper case', 'HTTPS://two.example.com/', 'https://two.example.com/'],
      ['the default port', 'https://three.example.com:443/', 'https://three.example.com/'],
      ['no path', 'https://four.example.com', 'https://four.example.com/'],
      ['a fragment', 'https://five.example.com/#top', 'https://five.example.com/'],
      ['space around it', '  https://six.example.com/ \n', 'https://six.example.com/'],
      ['an international name', 'https://bücher.example.com/', 'https://xn--bcher-kva.example.com/'],
      ['a trailing dot', 'https://seven.example.com./', 'https://seven.example.com/'],
      ['dots in the path', 'https://eight.example.com/a/../b', 'https://eight.example.com/b'],
    ])('one entry for two spellings: %s', async (_, one, other) => {
      advanceToNextMinute()
      expect((await get(one)).body.cached).toBe(false)
      expect((await get(other)).body.cached).toBe(true)
      expect(app.scanned.at(-1)).toBe(other)
    })

    test.each([
      ['the query', 'https://q.example.com/?a=1', 'https://q.example.com/?a=2'],
      ['the order of the query', 'https://r.example.com/?a=1&b=1', 'https://r.example.com/?b=1&a=1'],
      ['an empty query', 'https://s.example.com/?', 'https://s.example.com/'],
      ['the path in upper case', 'https://t.example.com/A', 'https://t.example.com/a'],
      ['the scheme', 'https://u.example.com/', 'http://u.example.com/'],
      ['www', 'https://v.example.com/', 'https://www.v.example.com/'],
    ])('two entries where a URL differs in %s', async (_, one, other) => {
      advanceToNextMinute()
      for (const url of [one, other]) expect((await get(url)).body.cached).toBe(false)
      for (const url of [one, other]) expect((await get(url)).body.cached).toBe(true)
    })

    test('every 200 response is charged once, cached or not, and nothing else is charged', async () => {
      advanceToNextMinute()
      const mine = await app.newKey()
      const site = newSite()
      const ask = (more: string) => app.call({ url: scanOf(site, more), secret: mine.secret })
      for (const more of ['', '', '&fresh=true', '&include=timing', '&include=all', '&fresh=yes']) await ask(more)
      await app.call({ url: '/api/v1/nothing', secret: mine.secret })
      const { body } = await app.call({ url: '/api/v1/me', secret: mine.secret })
      expect(body.requests_used).toBe(4)
    })
  })
})
