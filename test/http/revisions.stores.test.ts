import { describe, expect, test } from 'vitest'
import { sampleScan } from '../support/sample-scan.ts'
import { openApp, scanOf } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const site = 'https://example.org/'
const NINE = [
  ...['url', 'builder', 'builderSlug', 'confidence', 'category'],
  ...['technologies', 'hosting', 'siteType', 'cached'],
]

const kind = await findAppKind('http: revisions')
describe.skipIf(kind.isMissing).each([kind])('both revisions on $name', ({ open }) => {
  test('one entry, two answers', async () => {
    const app = await openApp({ stores: await open() })
    const [first, second] = [await app.newKey({ revision: 1 }), await app.newKey({ revision: 2 })]
    for (const [{ secret }, fields, category, limit] of [
      [first, NINE, 'visual-builder', '30'],
      [second, [...NINE.slice(0, 5), 'isAiNative', ...NINE.slice(5)], 'website-builder', '120'],
      [first, NINE, 'visual-builder', '30'],
    ] as const) {
      const { body, headers } = await app.call({ url: scanOf(site, '&include=evidence,versions'), secret })
      expect(Object.keys(body)).toEqual([...fields, 'evidence', 'versions'])
      expect([body.category, headers['x-ratelimit-limit']]).toEqual([category, limit])
    }
    expect(app.scanned).toEqual([site])
  })

  test.each([
    [1, null, 1],
    [1, 2, 2],
    [2, null, 2],
    [2, 1, 1],
  ] as const)('a service of revision %d, a key pinned to %s: revision %d', async (apiRevision, revision, wanted) => {
    const app = await openApp({ stores: await open(), settings: { apiRevision } })
    const { secret } = await app.newKey({ plan: 'pro', revision })
    const { body, headers } = await app.call({ url: scanOf(site), secret })
    expect(headers['x-ratelimit-limit']).toBe(wanted === 1 ? '30' : '60')
    expect('isAiNative' in body).toBe(wanted === 2)
    expect(body.category).toBe(wanted === 1 ? 'visual-builder' : 'website-builder')
    const me = await app.call({ url: '/api/v1/me', secret })
    expect(me.body.requests_limit, 'the same quota').toBe(10_000)
  })
})

test('revision 1 allows 30 requests a minute, more than a small plan and less than a large one', async () => {
  const app = await openApp()
  for (const plan of ['free', 'advanced']) {
    const { secret } = await app.newKey({ plan, revision: 1 })
    const answers = await Promise.all(Array.from({ length: 35 }, () => app.call({ url: '/api/v1/me', secret })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  }
})

test('revision 1 has no meta, no quota headers and no retryable', async () => {
  const app = await openApp()
  const { secret } = await app.newKey({ revision: 1 })
  for (const request of [
    { url: scanOf(site, '&include=meta') },
    { method: 'POST', url: '/api/v1/scan', body: { url: site, include: ['timing', 'meta'] } },
  ]) {
    const { status, body } = await app.call({ ...request, secret })
    expect([status, Object.keys(body), body.error]).toEqual([
      400,
      ['error', 'code', 'requestId'],
      'Unknown value "meta" of include. include must be a comma-separated list or an array of: evidence, versions, infrastructure, timing, warnings.',
    ])
  }
  const { status, headers } = await app.call({ url: scanOf(site, '&include=timing'), secret })
  expect([status, headers['x-quota-limit']]).toEqual([200, undefined])
})

test.each([
  ['cms', 'cms'],
  ['ecommerce', 'ecommerce'],
  [null, null],
])('the category %s is called %s in revision 1', async (category, wanted) => {
  const app = await openApp({ scan: async (url) => sampleScan(url, { category }) })
  const { secret } = await app.newKey({ revision: 1 })
  expect((await app.call({ url: scanOf(site), secret })).body.category).toBe(wanted)
})
