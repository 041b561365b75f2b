import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { openMemory } from '../../src/coordination/memory.ts'
import { API_ERRORS, type ApiErrorCode, SCAN_CAUSES, type ScanCause, ScanError } from '../../src/errors.ts'
import { findSlashless } from '../../src/http/trailing-slash.ts'
import { makeSecret } from '../../src/keys/key.ts'
import { guardStore } from '../../src/store/guard.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { StoreError } from '../../src/store/types.ts'
import { newFolder } from '../store/open-stores.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { NEXT_YEAR, onePlan, openApp, scanOf, type TestApp, type TestRequest } from './app-fixture.ts'
import { openEmbedded, overrideStore } from './app-kinds.ts'

/** Fails with the cause in the first label of the host name. */
async function failingScan(url: string): ReturnType<TestApp['parts']['scan']> {
  const [label] = new URL(url).hostname.split('.')
  if (label in SCAN_CAUSES) throw new ScanError(label as ScanCause, { cause: new Error('connect 10.0.0.1:80 /etc') })
  if (label === 'broken') throw new TypeError('undefined is not a function at /srv/app/index.ts:1')
  return sampleScan(url)
}

/** Opens embedded stores with one failing method. */
async function brokenStores(method: string, error: Error): ReturnType<typeof openEmbedded> {
  const stores = await openEmbedded()
  return { ...stores, store: overrideStore(stores.store, { method, run: () => Promise.reject(error) }) }
}

const site = scanOf('https://example.org')

/** Causes that the same request meets again until the site or the URL changes. */
const LASTING = [
  ...['name_not_found', 'address_refused', 'redirect_refused', 'connection_refused', 'tls_invalid'],
  ...['too_many_redirects', 'redirect_loop', 'header_overflow', 'worker_killed', 'other_site', 'robots_refused'],
]

describe('every code', () => {
  let app: TestApp
  let secret: string
  beforeAll(async () => {
    app = await openApp({ scan: failingScan })
    secret = (await app.newKey()).secret
  })

  // scan-request.test.ts covers all other requests to /scan that get 400.
  const requests: readonly [ApiErrorCode, string, TestRequest][] = [
    ['invalid_url', 'a missing url', { url: '/api/v1/scan' }],
    ['invalid_request', 'an unknown parameter', { url: `${site}&key=1` }],
    ['invalid_request', 'a parameter of an endpoint without parameters', { url: '/api/v1/me?x=1' }],
    ['blocked_target', 'a local name', { url: scanOf('http://localhost') }],
    ['not_found', 'an unknown path', { url: '/api/v1/nothing' }],
    ['not_found', 'a path that cannot be decoded', { url: '/api/v1/%zz' }],
    ['not_found', 'only the prefix', { url: '/api/v1' }],
    ['not_found', 'an unknown path with a body', { method: 'POST', url: '/api/v1/nothing', body: 'x' }],
    ['method_not_allowed', 'DELETE', { method: 'DELETE', url: '/api/v1/scan' }],
    ['method_not_allowed', 'PUT with a body', { method: 'PUT', url: '/api/v1/scan', body: 'x' }],
    ['method_not_allowed', 'a WebDAV method', { method: 'PROPFIND', url: '/api/v1/me' }],
    ['method_not_allowed', 'POST to /me', { method: 'POST', url: '/api/v1/me', body: {} }],
    ['scan_failed', 'a scan with an unexpected error', { url: scanOf('https://broken.example.org') }],
  ]
  test.each(requests)('%s: %s', async (code, _, request) => {
    const answer = await app.call({ ...request, secret })
    expect(answer.body.code).toBe(code)
    const allow = request.url.includes('/me') ? 'GET, OPTIONS' : 'GET, POST, OPTIONS'
    expect(answer.headers.allow).toBe(code === 'method_not_allowed' ? allow : undefined)
    expect(answer.headers['x-ratelimit-limit']).toBe('120')
    const keyless = await app.call(request)
    expect([keyless.status, keyless.body.code]).toEqual([401, 'unauthorized'])
    expect(keyless.headers.allow).toBeUndefined()
  })

  test.each(Object.entries(SCAN_CAUSES))('a scan that fails with %s', async (cause, [code, sentence]) => {
    const answer = await app.call({ url: scanOf(`https://${cause}.example.org/?token=secret`), secret })
    expect([answer.body.code, answer.body.error]).toEqual([code, sentence])
    expect(answer.body.retryable).toBe(answer.status >= 429 && !LASTING.includes(cause))
  })

  test.each([
    ['GET', '/api/v1/scan/?url=https://a.example.org/', '/api/v1/scan?url=https://a.example.org/'],
    ['POST', '/api/v1/scan/', '/api/v1/scan'],
    ['DELETE', '/api/v1/me//', '/api/v1/me'],
    ['GET', '/api/v1/nothing/', '/api/v1/nothing'],
    ['GET', '/api/v1/', '/api/v1'],
    ['GET', '/health/live/', '/health/live'],
    ['GET', '/nothing//?x', '/nothing?x'],
  ])('%s %s redirects, with and without a key, and is not counted', async (method, url, location) => {
    const own = await app.newKey()
    for (const key of [undefined, own.secret, makeSecret()]) {
      const { status, headers, text } = await app.call({
        method,
        url,
        secret: key,
        ...(method === 'POST' && { body: {} }),
      })
      expect([status, headers.location, text]).toEqual([308, location, ''])
    }
    const { headers } = await app.call({ url: '/api/v1/me', secret: own.secret })
    expect(headers['x-ratelimit-remaining']).toBe('119')
  })

  test.each(['/', '//', '/nothing', '/nothing?x=/', '//evil.example/', '/\\evil.example/'])(
    '%s does not redirect',
    (url) => {
      expect(findSlashless(url)).toBeNull()
    },
  )

  test('behind a proxy that serves the service below a path, redirects have that path', async () => {
    const below = await openApp({ settings: { publicUrl: 'https://a.example/siteprint' } })
    const find = async (url: string): Promise<unknown> => (await below.call({ url })).headers.location
    expect(await find('/api/v1/me/')).toBe('/siteprint/api/v1/me')
    expect(await find('/health/live/')).toBe('/siteprint/health/live')
    expect(await find('/')).toBe('/siteprint/docs/')
    const { info, servers } = (await below.call({ url: '/openapi.json' })).body
    expect(info.description).toContain('(/siteprint/openapi-1.json)')
    expect(servers[0].url).toBe('https://a.example/siteprint')
  })

  test('HEAD is not allowed, and its response has no body', async () => {
    const answer = await app.call({ method: 'HEAD', url: site, secret })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, OPTIONS'])
    expect(app.scanned).not.toContain('https://example.org/')
  })

  test('nothing is charged, and the log contains neither queries nor paths', async () => {
    const me = await app.call({ url: '/api/v1/me', secret })
    expect(me.body.requests_used).toBe(0)
    expect(app.log()).not.toContain('token=secret')
  })
})

test.each([
  ['rate_limited', onePlan(1, 5), 45],
  ['quota_exceeded', onePlan(5, 1), (Date.UTC(NEXT_YEAR, 5, 1) - Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15)) / 1000],
] as const)('%s', async (code, settings, retryAfter) => {
  const app = await openApp({ settings, now: Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15) })
  const { secret } = await app.newKey({ plan: 'free' })
  expect((await app.call({ url: site, secret })).status).toBe(200)
  const answer = await app.call({ url: site, secret })
  expect([answer.status, answer.body.code]).toEqual([429, code])
  expect(answer.headers['retry-after']).toBe(String(retryAfter))
})

test.each([
  ['findKey', 'me', 503, 'unavailable'],
  ['usedBy', 'scan', 503, 'unavailable'],
  ['charge', 'scan', 503, 'unavailable'],
  ['touch', 'me', 503, 'unavailable'],
] as const)('the store fails in %s', async (method, path, status, code) => {
  const app = await openApp({ stores: await brokenStores(method, new StoreError('mongod at 10.0.0.5 is away')) })
  const { secret } = await app.newKey()
  const answer = await app.call({ url: path === 'me' ? '/api/v1/me' : site, secret })
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([status, code, API_ERRORS[code][1]])
})

test('while the store reports errors, the app is live but not ready', async () => {
  const folder = newFolder()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sqlite = await openSqlite({ folder, role: 'server' })
  // Writes do not wait for the lock of another process.
  if (sqlite.authDatabase.kind === 'sqlite') sqlite.authDatabase.db.exec('PRAGMA busy_timeout = 0')
  const store = guardStore(sqlite, { timeoutMs: null })
  const shared = openMemory({ maxBytes: 1_000_000 })
  const app = await openApp({ stores: { store, shared, answered: () => 0 } })
  const { secret } = await app.newKey()
  const state = async (): Promise<unknown> => {
    const { status, body } = await app.call({ url: '/health/ready' })
    const up = /^siteprint_store_up (\d)$/m.exec(await app.parts.metrics.registry.metrics())?.[1]
    return [status, body, up]
  }
  const other = new Database(join(folder, DATABASE_FILE))
  other.exec('BEGIN IMMEDIATE')
  expect(await state(), 'no write has failed yet').toEqual([200, { status: 'ready' }, '1'])
  expect((await app.call({ url: '/api/v1/me', secret })).status).toBe(503)
  expect(await state()).toEqual([503, { status: 'not ready', why: 'store' }, '0'])
  expect((await app.call({ url: '/health/live' })).status).toBe(200)
  expect((await app.call({ url: '/api/v1/scan?url=nonsense', secret })).status, 'a request that needs no write').toBe(
    400,
  )
  other.exec('ROLLBACK')
  other.close()
  await vi.advanceTimersByTimeAsync(1000)
  await until(state, [200, { status: 'ready' }, '1'])
  vi.useRealTimers()
})

test('an unexpected error is internal, and only the log has its details', async () => {
  const app = await openApp({ stores: await brokenStores('touch', new TypeError('x is not a function')) })
  const { secret } = await app.newKey()
  const answer = await app.call({ url: '/api/v1/me', secret })
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([500, 'internal', API_ERRORS.internal[1]])
  expect(app.log()).toContain('x is not a function')
})

test.each([
  ['maintenance', { maintenance: true }, 'maintenance', API_ERRORS.maintenance[1]],
  ['API off', { apiOff: true }, 'unavailable', 'The API is currently switched off.'],
  ['both', { maintenance: true, apiOff: true }, 'maintenance', API_ERRORS.maintenance[1]],
] as const)('%s', async (_, switches, code, sentence) => {
  const stores = await openEmbedded()
  await stores.store.settings.setSwitches(switches)
  const app = await openApp({ stores })
  const { secret } = await app.newKey()
  for (const request of [
    { url: site },
    { url: '/api/v1/me' },
    { url: '/api/v1/nothing' },
    { method: 'PUT', url: site },
  ])
    for (const key of [undefined, secret, makeSecret()]) {
      const answer = await app.call({ ...request, secret: key })
      expect([answer.status, answer.body.code, answer.body.error]).toEqual([503, code, sentence])
    }
  for (const path of ['live', 'ready']) expect((await app.call({ url: `/health/${path}` })).status).toBe(200)
  expect((await app.call({ method: 'OPTIONS', url: '/api/v1/scan' })).status).toBe(204)
})
