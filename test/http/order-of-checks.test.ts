import { beforeAll, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { makeSecret } from '../../src/keys/key.ts'
import { openApp, scanOf, type TestApp, type TestRequest } from './app-fixture.ts'

const good = scanOf('https://example.org')
const bad = scanOf('not a URL')
const badBody = { method: 'POST', url: '/api/v1/scan', body: '{', headers: { 'content-type': 'application/json' } }
const longBody = { ...badBody, body: 'x'.repeat(16_385) }
const badType = { ...badBody, headers: { 'content-type': ';;;' } }
const nowhere = { url: '/api/v1/nothing' }
const broken = { url: '/api/v1/%ff' }
const wrongMethod = { method: 'DELETE', url: '/api/v1/scan' }

/** Invalid requests. */
const WRONG: readonly [name: string, request: TestRequest, status: number][] = [
  ['a bad URL', { url: bad }, 400],
  ['a bad parameter', { url: '/api/v1/me?x=1' }, 400],
  ['a bad month', { url: '/api/v1/usage?month=2026-13' }, 400],
  ['a month in the future', { url: '/api/v1/usage?month=9999-01' }, 400],
  ['a parameter of another endpoint', { url: '/api/v1/usage?url=x' }, 400],
  ['an unknown kind', { url: '/api/v1/catalogue?kind=x' }, 400],
  ['a wrong method of usage with a bad body', { ...badBody, url: '/api/v1/usage' }, 405],
  ['a bad body', badBody, 400],
  ['a body that is too large', longBody, 400],
  ['a malformed media type', badType, 400],
  ['an unknown path', nowhere, 404],
  ['a path that cannot be decoded', broken, 404],
  ['a wrong method', wrongMethod, 405],
  ['a wrong method with a bad body', { ...badType, method: 'PUT' }, 405],
  ['an unknown path with a bad body', { ...badType, ...nowhere }, 404],
]

describe('of two errors the earlier one is reported', () => {
  let app: TestApp
  /** Used-up limits → a key with them. */
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    const plans = new Map([
      ['free', { name: 'free', perMinute: 1000, perMonth: 1000, keys: 1 }],
      ['short', { name: 'short', perMinute: 1, perMonth: 1000, keys: 1 }],
      ['empty', { name: 'empty', perMinute: 1000, perMonth: 0, keys: 1 }],
      ['neither', { name: 'neither', perMinute: 1, perMonth: 0, keys: 1 }],
    ])
    const scan = async (): Promise<never> => {
      throw new ScanError('unreachable')
    }
    app = await openApp({ settings: { plans }, scan })
    for (const plan of plans.keys()) {
      keys[plan] = (await app.newKey({ plan })).secret
      if (plan === 'short' || plan === 'neither') await app.call({ url: '/api/v1/me', secret: keys[plan] })
    }
  })

  const cases: (readonly [name: string, key: string, request: TestRequest, status: number, code: string])[] = [
    ['over the rate limit, quota used up', 'neither', { url: good }, 429, 'rate_limited'],
    ['over the rate limit, a scan that fails', 'short', { url: good }, 429, 'rate_limited'],
    ['quota used up, a scan that fails', 'empty', { url: good }, 429, 'quota_exceeded'],
    ['only a scan that fails', 'free', { url: good }, 500, 'scan_failed'],
  ]
  test.each(cases)('%s', async (_, key, request, status, code) => {
    const answer = await app.call({ ...request, secret: keys[key] })
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })

  test.each(WRONG)('%s', async (_, request, status) => {
    const statusWith = async (secret?: string): Promise<number> => (await app.call({ ...request, secret })).status
    expect(await statusWith(keys.free)).toBe(status)
    expect(await statusWith(keys.empty), 'before the quota').toBe(status)
    expect(await statusWith(keys.short), 'after the rate limit').toBe(429)
    expect(await statusWith(), 'after a missing key').toBe(401)
    expect(await statusWith(`${keys.free}x`), 'after a malformed key').toBe(401)
    expect(await statusWith(makeSecret()), 'after an unknown key').toBe(401)
    expect(app.scanned.filter((url) => url !== 'https://example.org/')).toEqual([])
  })

  test('every invalid request with a valid key counts against the rate limit, and none of them scans', async () => {
    const { secret } = await app.newKey({ plan: 'free' })
    for (const [i, [, request]] of WRONG.entries()) {
      const { headers } = await app.call({ ...request, secret })
      expect(headers['x-ratelimit-remaining']).toBe(String(1000 - 1 - i))
    }
    const before = app.scanned.length
    await app.call({ url: good, secret: keys.empty })
    expect(app.scanned.length).toBe(before)
  })

  test('OPTIONS needs no key and is not counted', async () => {
    const { secret } = await app.newKey({ plan: 'free' })
    for (const key of [undefined, secret, makeSecret()])
      for (const [url, status] of [
        ['/api/v1/scan', 204],
        ['/api/v1/me', 204],
        ['/api/v1/usage', 204],
        ['/api/v1/catalogue', 204],
        ['/api/v1/nothing', 404],
      ] as const) {
        const { headers, ...answer } = await app.call({ method: 'OPTIONS', url, secret: key, address: '198.51.100.9' })
        expect(answer.status).toBe(status)
        expect(headers['x-ratelimit-limit']).toBe('20')
        expect(headers['x-ratelimit-remaining']).toBe('20')
      }
    expect((await app.call({ url: '/api/v1/me', secret })).headers['x-ratelimit-remaining']).toBe('999')
  })
})
