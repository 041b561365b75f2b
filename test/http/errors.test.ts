import { join } from 'node:path'
import Database from 'libsql'
import { beforeAll, describe, expect, test } from 'vitest'
import { openMemory } from '../../src/coordination/memory.ts'
import { API_ERRORS, type ApiErrorCode, SCAN_CAUSES, type ScanCause, ScanError } from '../../src/errors.ts'
import { makeSecret } from '../../src/keys/key.ts'
import { guardStore } from '../../src/store/guard.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { StoreError } from '../../src/store/types.ts'
import { newFolder } from '../store/open-stores.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { NEXT_YEAR, onePlan, openHost, scanOf, type TestHost, type TestRequest } from './app-fixture.ts'
import { openEmbedded, overrideStore } from './app-kinds.ts'

/** Fails as the first label of the host says. */
async function failingScan(url: string): ReturnType<TestHost['parts']['scan']> {
  const [label] = new URL(url).hostname.split('.')
  if (label in SCAN_CAUSES) throw new ScanError(label as ScanCause, { cause: new Error('connect 10.0.0.1:80 /etc') })
  if (label === 'broken') throw new TypeError('undefined is not a function at /srv/app/index.ts:1')
  return sampleScan(url)
}

/** Embedded stores, one method of which fails. */
async function brokenStores(method: string, error: Error): ReturnType<typeof openEmbedded> {
  const stores = await openEmbedded()
  return { ...stores, store: overrideStore(stores.store, { method, run: () => Promise.reject(error) }) }
}

const site = scanOf('https://example.org')

describe('every code', () => {
  let host: TestHost
  let secret: string
  beforeAll(async () => {
    host = await openHost({ scan: failingScan })
    secret = (await host.newKey()).secret
  })

  const requests: readonly [ApiErrorCode, string, TestRequest][] = [
    ['invalid_url', 'no url', { url: '/api/v1/scan' }],
    ['invalid_url', 'no URL', { url: scanOf('example') }],
    ['invalid_url', 'no url in a body', { method: 'POST', url: '/api/v1/scan', body: {} }],
    ['invalid_request', 'an unknown parameter', { url: `${site}&key=1` }],
    ['invalid_request', 'an unknown field', { method: 'POST', url: '/api/v1/scan', body: { url: 'a', x: 1 } }],
    ['invalid_request', 'a parameter where none is', { url: '/api/v1/me?x=1' }],
    ['blocked_target', 'a local name', { url: scanOf('http://localhost') }],
    ['blocked_target', 'an address that is not public', { url: scanOf('http://10.1.2.3') }],
    ['not_found', 'no such path', { url: '/api/v1/nothing' }],
    ['not_found', 'a path that cannot be decoded', { url: '/api/v1/%zz' }],
    ['not_found', 'the prefix alone', { url: '/api/v1' }],
    ['not_found', 'a slash too many', { url: '/api/v1/scan/' }],
    ['not_found', 'no such path, and a body', { method: 'POST', url: '/api/v1/nothing', body: 'x' }],
    ['method_not_allowed', 'DELETE', { method: 'DELETE', url: '/api/v1/scan' }],
    ['method_not_allowed', 'PUT with a body', { method: 'PUT', url: '/api/v1/scan', body: 'x' }],
    ['method_not_allowed', 'a method of WebDAV', { method: 'PROPFIND', url: '/api/v1/me' }],
    ['method_not_allowed', 'POST to /me', { method: 'POST', url: '/api/v1/me', body: {} }],
    ['scan_failed', 'a scan that fails in a way nobody foresaw', { url: scanOf('https://broken.example.org') }],
  ]
  test.each(requests)('%s: %s', async (code, _, request) => {
    const answer = await host.call({ ...request, secret })
    expect(answer.body.code).toBe(code)
    const allow = request.url.includes('/me') ? 'GET, OPTIONS' : 'GET, POST, OPTIONS'
    expect(answer.headers.allow).toBe(code === 'method_not_allowed' ? allow : undefined)
    expect(answer.headers['x-ratelimit-limit']).toBe('120')
    const keyless = await host.call(request)
    expect([keyless.status, keyless.body.code]).toEqual([401, 'unauthorized'])
    expect(keyless.headers.allow).toBeUndefined()
  })

  test.each(Object.entries(SCAN_CAUSES))('a scan that fails with %s', async (cause, [code, sentence]) => {
    const answer = await host.call({ url: scanOf(`https://${cause}.example.org/?token=secret`), secret })
    expect([answer.body.code, answer.body.error]).toEqual([code, sentence])
  })

  test('HEAD is a method that is not allowed, and has no body on a wire', async () => {
    const answer = await host.call({ method: 'HEAD', url: site, secret })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST, OPTIONS'])
    expect(host.scanned).not.toContain('https://example.org/')
  })

  test('nothing is charged, and the log tells neither queries nor paths', async () => {
    const me = await host.call({ url: '/api/v1/me', secret })
    expect(me.body.requests_used).toBe(0)
    expect(host.log()).not.toContain('token=secret')
  })
})

test.each([
  ['rate_limited', onePlan(1, 5), 45],
  ['quota_exceeded', onePlan(5, 1), (Date.UTC(NEXT_YEAR, 5, 1) - Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15)) / 1000],
] as const)('%s', async (code, settings, retryAfter) => {
  const host = await openHost({ settings, now: Date.UTC(NEXT_YEAR, 4, 10, 12, 0, 15) })
  const { secret } = await host.newKey({ plan: 'free' })
  expect((await host.call({ url: site, secret })).status).toBe(200)
  const answer = await host.call({ url: site, secret })
  expect([answer.status, answer.body.code]).toEqual([429, code])
  expect(answer.headers['retry-after']).toBe(String(retryAfter))
})

test.each([
  ['findKey', 'me', 503, 'unavailable'],
  ['usedBy', 'scan', 503, 'unavailable'],
  ['charge', 'scan', 503, 'unavailable'],
  ['touch', 'me', 503, 'unavailable'],
] as const)('the store fails at %s', async (method, path, status, code) => {
  const host = await openHost({ stores: await brokenStores(method, new StoreError('mongod at 10.0.0.5 is away')) })
  const { secret } = await host.newKey()
  const answer = await host.call({ url: path === 'me' ? '/api/v1/me' : site, secret })
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([status, code, API_ERRORS[code][1]])
})

test('while its store reports errors it is not ready, and alive', async () => {
  const folder = newFolder()
  const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null })
  const shared = openMemory({ maxBytes: 1_000_000 })
  const host = await openHost({ stores: { store, shared, answered: () => 0 } })
  const { secret } = await host.newKey()
  const state = async (): Promise<unknown> => {
    const { status, body } = await host.call({ url: '/health/ready' })
    const up = /^siteprint_store_up (\d)$/m.exec(await host.parts.metrics.registry.metrics())?.[1]
    return [status, body, up]
  }
  const other = new Database(join(folder, DATABASE_FILE))
  other.exec('BEGIN IMMEDIATE')
  expect(await state(), 'nothing was written yet').toEqual([200, { status: 'ready' }, '1'])
  expect((await host.call({ url: '/api/v1/me', secret })).status).toBe(503)
  expect(await state()).toEqual([503, { status: 'not ready', why: 'store' }, '0'])
  expect((await host.call({ url: '/health/live' })).status).toBe(200)
  expect((await host.call({ url: '/api/v1/scan?url=nonsense', secret })).status, 'what needs no write').toBe(400)
  other.exec('ROLLBACK')
  other.close()
  await until(state, [200, { status: 'ready' }, '1'])
})

test('a fault of our own is internal, and told to the log alone', async () => {
  const host = await openHost({ stores: await brokenStores('touch', new TypeError('x is not a function')) })
  const { secret } = await host.newKey()
  const answer = await host.call({ url: '/api/v1/me', secret })
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([500, 'internal', API_ERRORS.internal[1]])
  expect(host.log()).toContain('x is not a function')
})

test.each([
  ['maintenance', { maintenance: true }, 'maintenance', API_ERRORS.maintenance[1]],
  ['API off', { apiOff: true }, 'unavailable', 'Access to the API is switched off.'],
  ['both', { maintenance: true, apiOff: true }, 'maintenance', API_ERRORS.maintenance[1]],
] as const)('%s', async (_, switches, code, sentence) => {
  const stores = await openEmbedded()
  await stores.store.settings.setSwitches(switches)
  const host = await openHost({ stores })
  const { secret } = await host.newKey()
  for (const request of [
    { url: site },
    { url: '/api/v1/me' },
    { url: '/api/v1/nothing' },
    { method: 'PUT', url: site },
  ])
    for (const key of [undefined, secret, makeSecret()]) {
      const answer = await host.call({ ...request, secret: key })
      expect([answer.status, answer.body.code, answer.body.error]).toEqual([503, code, sentence])
    }
  for (const path of ['live', 'ready']) expect((await host.call({ url: `/health/${path}` })).status).toBe(200)
  expect((await host.call({ method: 'OPTIONS', url: '/api/v1/scan' })).status).toBe(204)
})
