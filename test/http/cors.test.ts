import { describe, expect, test } from 'vitest'
import { scanOf, shareApps } from './app-fixture.ts'

const ours = 'https://app.example'
const others = 'https://other.example'
const preflight = (origin: string) => ({ origin, 'access-control-request-method': 'GET' })
const EXPOSED =
  'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id, age, x-quota-limit, x-quota-remaining, x-quota-reset'

const openShared = shareApps()

describe('requests from other origins', () => {
  test.each([
    ['none allowed', [], ours, undefined],
    ['ours', [ours], ours, ours],
    ['another', [ours], others, undefined],
    ['one of two', [others, ours], ours, ours],
    ['all', '*', others, '*'],
    ['one with a common prefix', [ours], `${ours}.evil.example`, undefined],
    ['the null origin of a file', [ours], 'null', undefined],
  ] as const)('%s', async (_, corsOrigins, origin, wanted) => {
    const app = await openShared({ corsOrigins })
    const { secret } = await app.newKey()
    for (const [status, request] of [
      [200, { url: scanOf('https://example.org'), secret }],
      [400, { url: scanOf('nothing'), secret }],
      [401, { url: '/api/v1/me' }],
      [404, { url: '/api/v1/nothing', secret }],
    ] as const) {
      const answer = await app.call({ ...request, headers: { origin } })
      expect(answer.status).toBe(status)
      expect(answer.headers['access-control-allow-origin']).toBe(wanted)
      expect(answer.headers['access-control-expose-headers']).toBe(corsOrigins.length > 0 ? EXPOSED : undefined)
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
      if (Array.isArray(corsOrigins) && corsOrigins.length > 0) expect(answer.headers.vary).toContain('Origin')
    }
    for (const url of ['/api/v1/scan', '/api/v1/me']) {
      const answer = await app.call({ method: 'OPTIONS', url, headers: preflight(origin) })
      expect(answer.status).toBe(204)
      expect(answer.headers['access-control-allow-origin']).toBe(wanted)
      expect(answer.headers['access-control-allow-headers']).toBe(
        corsOrigins.length > 0 ? 'authorization, x-api-key, content-type, x-request-id' : undefined,
      )
    }
  })

  test.each([[[]], [[ours]], ['*']] as const)('OPTIONS without an origin, with %j', async (corsOrigins) => {
    const app = await openShared({ corsOrigins })
    const answer = await app.call({ method: 'OPTIONS', url: '/api/v1/scan' })
    expect([answer.status, answer.text, answer.headers.allow]).toEqual([204, '', 'GET, POST, OPTIONS'])
    expect((await app.call({ method: 'OPTIONS', url: '/api/v1/me' })).headers.allow).toBe('GET, OPTIONS')
    // The preflight of an unknown path succeeds; the request after it gets the error.
    expect((await app.call({ method: 'OPTIONS', url: '/api/v1/nothing', headers: preflight(ours) })).status).toBe(
      corsOrigins.length > 0 ? 200 : 404,
    )
  })
})

describe('security headers', () => {
  test.each([
    '/api/v1/me',
    '/api/v1/nothing',
    '/health/live',
    '/nothing',
    '/openapi.json',
    '/docs',
    '/',
    '/favicon.ico',
  ])('%s', async (url) => {
    const app = await openShared()
    const { headers } = await app.call({ url })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(headers.server).toBeUndefined()
    expect(headers['x-powered-by']).toBeUndefined()
  })
})

describe('the request id', () => {
  test.each([
    ['valid', 'abc-123_4.5:6+7/8=9@x', true],
    ['128 characters', 'a'.repeat(128), true],
    ['129 characters', 'a'.repeat(129), false],
    ['a key', `spk_live_${'a'.repeat(38)}`, false],
    ['empty', '', false],
    ['space', 'a b', false],
    ['markup', '<script>', false],
    ['a quote', 'a"b', false],
    ['letters beyond ASCII', 'ü', false],
  ])('%s', async (_, id, isEchoed) => {
    const app = await openShared()
    for (const url of ['/api/v1/me', '/nothing', '/health/live', '/api/v1/%zz']) {
      const { headers } = await app.call({ url, headers: { 'x-request-id': id } })
      expect(headers['x-request-id'] === id).toBe(isEchoed)
      if (!isEchoed) expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
    }
    // The log has both ids, so that a client cannot impersonate another request.
    expect(app.log()).toMatch(/"id":"[\da-f-]{36}"/)
  })
})
