import { expect, test } from 'vitest'
import { buildCatalogue, CATALOGUE_KINDS } from '../../src/detector/catalogue.ts'
import { CurrentRules } from '../../src/scan/current-rules.ts'
import { openOwnRuleset } from '../support/own-ruleset.ts'
import { onePlan, openApp, shareApps } from './app-fixture.ts'

const PATH = '/api/v1/catalogue'
const openShared = shareApps()

test('every rule of the ruleset is an entry, ordered by kind and slug', async () => {
  const { rules: all, version } = openOwnRuleset()
  // Results name no response.
  const rules = all.filter(({ kind }) => kind !== 'response')
  const { current } = (await openApp()).parts.rules
  const app = await openApp({
    parts: { rules: new CurrentRules({ ...current, version, catalogue: buildCatalogue(rules) }) },
  })
  const { secret } = await app.newKey()
  const { body } = await app.call({ url: PATH, secret })
  expect(Object.keys(body)).toEqual(['ruleset', 'entries'])
  expect([body.ruleset, body.entries.length]).toEqual([version, rules.length])
  const keys: string[] = body.entries.map(({ kind, slug }: { kind: string; slug: string }) => `${kind}/${slug}`)
  expect(keys).toEqual([...new Set(rules.map(({ kind, slug }) => `${kind}/${slug}`))].sort())
  expect(body.entries).toContainEqual({
    kind: 'builder',
    slug: 'v0',
    name: 'v0',
    category: 'ai-builder',
    isAiNative: true,
    website: 'https://v0.app',
    about: "Vercel's AI builder of web apps and user interfaces.",
  })
  const find = (key: string): unknown => body.entries[keys.indexOf(key)].category
  expect(['hosting/cloudflare', 'hosting/vercel', 'technology/react', 'site-type/blog'].map(find)).toEqual([
    'cdn',
    null,
    'javascript-framework',
    null,
  ])
  const parts4 = await Promise.all(CATALOGUE_KINDS.map((kind) => app.call({ url: `${PATH}?kind=${kind}`, secret })))
  expect(parts4.flatMap((answer) => answer.body.entries)).toEqual(body.entries)
  expect(parts4.every((answer) => answer.body.entries.length > 0)).toBe(true)
})

test('a stored response is confirmed without a body; each kind has its own tag, and other rules have other tags', async () => {
  const app = await openApp()
  const { secret } = await app.newKey()
  const first = await app.call({ url: PATH, secret })
  const { etag = '' } = first.headers
  expect(etag).toMatch(/^"[\w-]{22}"$/)
  for (const [sent, status] of [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    [etag.slice(1, -1), 200],
    ['', 200],
  ] as const) {
    const answer = await app.call({ url: PATH, secret, headers: { 'if-none-match': sent } })
    expect([sent, answer.status, answer.headers.etag]).toEqual([sent, status, etag])
    expect(answer.text).toBe(status === 304 ? '' : first.text)
  }
  const ofKind = await app.call({ url: `${PATH}?kind=builder`, secret, headers: { 'if-none-match': etag } })
  expect([ofKind.status, ofKind.body.entries.length]).toEqual([200, 1])
  const { rules } = app.parts
  rules.replace({ ...rules.current, version: 'other', catalogue: rules.current.catalogue.slice(0, 1) })
  const changed = await app.call({ url: PATH, secret, headers: { 'if-none-match': etag } })
  expect([changed.status, changed.body.ruleset, changed.body.entries.length]).toEqual([200, 'other', 1])
  expect(changed.headers.etag).not.toBe(etag)
})

test('counts against the minute, costs no quota, and does not count as use of the key', async () => {
  const app = await openApp({ settings: onePlan(3, 0) })
  const { secret, key } = await app.newKey({ plan: 'free' })
  const { headers } = await app.call({ url: PATH, secret })
  const again = { url: PATH, secret, headers: { 'if-none-match': headers.etag ?? '' } }
  const statuses = [again, again, again].map(async (request) => (await app.call(request)).status)
  expect(await Promise.all(statuses)).toEqual([304, 304, 429])
  expect(await app.store.usage.lastUsed(key.id)).toBeNull()
})

test.each([
  ['?kind=host', 'kind must be one of builder, hosting, site-type, technology.'],
  ['?kind=', 'kind must be one of builder, hosting, site-type, technology.'],
  ['?kind=builder&kind=builder', 'kind must be one of builder, hosting, site-type, technology.'],
  ['?kinds=builder', 'Unknown parameter "kinds". Did you mean "kind"? Known parameters: kind.'],
])('%s is rejected', async (query, sentence) => {
  const app = await openShared()
  const { status, body } = await app.call({ url: `${PATH}${query}`, secret: (await app.newKey()).secret })
  expect([status, body.code, body.error]).toEqual([400, 'invalid_request', sentence])
})

test.each([
  ['GET', '', 200, 404],
  ['GET', '?kind=x', 400, 404],
  ['POST', '', 405, 404],
  ['HEAD', '', 405, 404],
])(
  '%s /catalogue%s: %d in revision 2, and %d in revision 1; 401 without a key',
  async (method, query, second, first) => {
    const app = await openShared()
    for (const [revision, wanted] of [
      [2, second],
      [1, first],
    ] as const) {
      const { secret } = await app.newKey({ revision })
      expect((await app.call({ method, url: `${PATH}${query}`, secret })).status).toBe(wanted)
    }
    expect((await app.call({ method, url: `${PATH}${query}` })).status).toBe(401)
  },
)
