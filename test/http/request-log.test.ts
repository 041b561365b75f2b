import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { openHost, scanOf, type TestHost } from './app-fixture.ts'

const linesOf = (host: TestHost): Record<string, unknown>[] =>
  host
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
  test('has a line for each answer: the route, never the path or the query', async () => {
    const host = await openHost()
    const { key, secret } = await host.newKey()
    await host.call({ url: scanOf('https://example.org/a?b=private'), secret, headers: { 'x-request-id': 'mine' } })
    await host.call({ url: '/api/v1/private', secret })
    await host.call({ url: '/private', address: '198.51.100.9' })
    const lines = linesOf(host).filter(({ msg }) => msg === 'answered')
    const [scan, nowhere, outside] = lines.slice(-3)
    const uuid = expect.stringMatching(/^[\da-f-]{36}$/)
    const told = { route: '/api/v1/scan', method: 'GET', status: 200, key: key.id, client: '127.0.0.1' }
    expect(scan).toMatchObject({ ...told, id: uuid, requestId: 'mine', ms: expect.any(Number), level: 30 })
    expect(nowhere).toMatchObject({ status: 404, key: key.id, code: 'not_found', id: uuid })
    expect(nowhere).not.toHaveProperty('requestId')
    expect(outside).toMatchObject({ route: 'none', status: 404, code: 'not_found', client: '198.51.100.9' })
    expect(host.log()).not.toContain('private')
  })

  test('tells why a scan failed, with the host alone', async () => {
    const host = await openHost({ scan: failing })
    const { secret } = await host.newKey()
    await host.call({ url: scanOf('https://fail.example.org/a?b=private'), secret })
    const line = linesOf(host).find(({ msg }) => msg === 'scan failed')
    expect(line).toMatchObject({ host: 'fail.example.org', reason: 'tls_invalid', why: 'expired', level: 30 })
    expect(linesOf(host).at(-1)).toMatchObject({ status: 500, code: 'scan_failed', level: 40 })
    await host.call({ url: scanOf('https://bug.example.org/'), secret })
    expect(linesOf(host).filter(({ msg }) => msg === 'scan failed')[1]).toMatchObject({ host: 'bug.example.org' })
    expect(host.log()).toContain('x is undefined')
    expect(host.log()).not.toContain('private')
  })
})

describe('the metrics', () => {
  test('count requests, scans, look-ups and refusals, by labels of ours alone', async () => {
    const host = await openHost({ scan: failing })
    const free = await host.newKey({ plan: 'free' })
    const none = await host.newKey({ plan: 'gold' })
    for (const url of ['https://example.org', 'https://example.org', 'https://fail.example.org', 'nothing'])
      await host.call({ url: scanOf(url), secret: free.secret })
    await host.call({ url: scanOf('https://example.org', '&fresh=true'), secret: free.secret })
    for (let i = 0; i < 8; i++) await host.call({ url: '/api/v1/me', secret: free.secret })
    const charge = { key: none.key.id, month: new Date(host.clock.now).toISOString().slice(0, 7), quota: 1000 }
    for (let i = 0; i < 100; i++) await host.store.usage.charge({ ...charge, at: new Date() })
    await host.call({ url: scanOf('https://example.org'), secret: none.secret })
    await host.call({ url: '/made/up/by/somebody' })
    await host.call({ method: 'BREW', url: '/api/v1/scan' }).catch(() => {})
    const text = await host.parts.metrics.registry.metrics()
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
    expect(text).not.toContain('made/up')
    expect(text).not.toContain(free.key.id)
  })
})
