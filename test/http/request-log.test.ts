import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { openApp, scanOf, type TestApp } from './app-fixture.ts'

const linesOf = (app: TestApp): Record<string, unknown>[] =>
  app
    .log()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const failing = async (url: string) => {
  if (url.includes('bug')) throw new TypeError('x is undefined')
  if (url.includes('fail')) throw new ScanError('tls_invalid', { cause: new Error('expired') })
  return sampleScan(url)
}

describe('the log', () => {
  test('has a line per response with the route, never with the path or the query', async () => {
    const app = await openApp()
    const { key, secret } = await app.newKey()
    await app.call({ url: scanOf('https://example.org/a?b=private'), secret, headers: { 'x-request-id': 'mine' } })
    await app.call({ url: '/api/v1/private', secret })
    await app.call({ url: '/private', address: '198.51.100.9' })
    const lines = linesOf(app).filter(({ msg }) => msg === 'request completed')
    const [scan, nowhere, outside] = lines.slice(-3)
    const uuid = expect.stringMatching(/^[\da-f-]{36}$/)
    const told = { route: '/api/v1/scan', method: 'GET', status: 200, key: key.id, client: '127.0.0.1' }
    expect(scan).toMatchObject({ ...told, id: uuid, requestId: 'mine', ms: expect.any(Number), level: 30 })
    expect(nowhere).toMatchObject({ status: 404, key: key.id, code: 'not_found', id: uuid })
    expect(nowhere).not.toHaveProperty('requestId')
    expect(outside).toMatchObject({ route: 'none', status: 404, code: 'not_found', client: '198.51.100.9' })
    expect(app.log()).not.toContain('private')
  })

  test('contains why a scan failed, with only the host of its URL', async () => {
    const app = await openApp({ scan: failing })
    const { secret } = await app.newKey()
    await app.call({ url: scanOf('https://fail.example.org/a?b=private'), secret })
    const line = linesOf(app).find(({ msg }) => msg === 'scan failed')
    expect(line).toMatchObject({ host: 'fail.example.org', reason: 'tls_invalid', why: 'expired', level: 30 })
    expect(linesOf(app).at(-1)).toMatchObject({ status: 500, code: 'scan_failed', level: 40 })
    await app.call({ url: scanOf('https://bug.example.org/'), secret })
    expect(linesOf(app).filter(({ msg }) => msg === 'scan failed')[1]).toMatchObject({ host: 'bug.example.org' })
    expect(app.log()).toContain('x is undefined')
    expect(app.log()).not.toContain('private')
  })
})

describe('the metrics', () => {
  test('count requests, scans, lookups and rejections, without labels chosen by clients', async () => {
    const app = await openApp({ scan: failing })
    const free = await app.newKey({ plan: 'free' })
    const none = await app.newKey({ plan: 'gold' })
    for (const url of ['https://example.org', 'https://example.org', 'https://fail.example.org', 'nothing'])
      await app.call({ url: scanOf(url), secret: free.secret })
    await app.call({ url: scanOf('https://example.org', '&fresh=true'), secret: free.secret })
    for (let i = 0; i < 8; i++) await app.call({ url: '/api/v1/me', secret: free.secret })
    const charge = { counter: none.key.id, day: new Date(app.clock.now).toISOString().slice(0, 10), quota: 1000 }
    for (let i = 0; i < 100; i++) await app.store.usage.charge({ ...charge, at: new Date() })
    await app.call({ url: scanOf('https://example.org'), secret: none.secret })
    await app.call({ url: '/chosen/by/a/client' })
    await app.call({ method: 'BREW', url: '/api/v1/scan' }).catch(() => {})
    const text = await app.parts.metrics.registry.metrics()
    for (const line of [
      'siteprint_requests_total{route="/api/v1/scan",method="GET",status="200"} 3',
      'siteprint_requests_total{route="/api/v1/scan",method="GET",status="400"} 1',
      'siteprint_requests_total{route="/api/v1/scan",method="GET",status="500",reason="tls_invalid"} 1',
      'siteprint_requests_total{route="/api/v1/me",method="GET",status="200"} 5',
      'siteprint_requests_total{route="/api/v1/me",method="GET",status="429"} 3',
      'siteprint_requests_total{route="none",method="GET",status="404"} 1',
      'siteprint_scans_total{outcome="ok"} 2',
      'siteprint_scans_total{outcome="scan_failed"} 1',
      'siteprint_cache_total{result="hit"} 2',
      'siteprint_cache_total{result="miss"} 2',
      'siteprint_cache_total{result="fresh"} 1',
      'siteprint_limit_refusals_total{limit="minute"} 3',
      'siteprint_limit_refusals_total{limit="quota"} 1',
      'siteprint_scans_running 0',
      'siteprint_worker_queue 0',
      'siteprint_store_up 1',
      'siteprint_redis_up 1',
    ])
      expect(text).toContain(line)
    expect(text).not.toContain('chosen/by')
    expect(text).not.toContain(free.key.id)
  })
})
