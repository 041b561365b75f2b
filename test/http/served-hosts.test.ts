import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { buildHostFilter, type HostSettings } from '../../src/http/served-hosts.ts'
import { openPortal } from '../portal/portal-fixture.ts'
import { openApp, shareApps, type TestApp } from './app-fixture.ts'

interface Sent {
  /** The header Host; null for none. */
  readonly host: string | null
  readonly target?: string
  /** The address at which the connection arrives. */
  readonly at?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Whether a request is served, by the settings alone. */
function isServed(
  settings: Partial<HostSettings>,
  { host, target = '/', at = '127.0.0.1', headers = {} }: Sent,
): boolean {
  const raw = {
    headers: { ...headers, ...(host !== null && { host }) },
    socket: { localAddress: at },
  } as IncomingMessage
  const filter = buildHostFilter({ host: '127.0.0.1', publicUrl: null, allowedHosts: [], ...settings })
  return filter({ raw, originalUrl: target }) === null
}

const openShared = shareApps()

const LAN = { host: '0.0.0.0' }
const DUAL = { host: '::' }
const PUBLIC = { publicUrl: 'https://Siteprint.example:8443' }

describe('without PUBLIC_URL', () => {
  test.each<[string, Partial<HostSettings>, Sent, boolean]>([
    ['localhost', {}, { host: 'localhost' }, true],
    ['localhost with a port', {}, { host: 'localhost:3000' }, true],
    ['localhost with any port, as a container publishes it', {}, { host: 'localhost:8080' }, true],
    ['localhost with an empty port', {}, { host: 'localhost:' }, true],
    ['localhost in capitals, with a trailing dot', {}, { host: 'LocalHost.:3000' }, true],
    ['a name that only ends like it', {}, { host: 'evil.localhost' }, false],
    ['a name that only begins like it', {}, { host: 'localhost.evil.example' }, false],
    ['the address of the connection', {}, { host: '127.0.0.1:3000' }, true],
    ['another loopback address', {}, { host: '127.0.0.2:3000' }, false],
    ['the loopback address of the other family', {}, { host: '[::1]:3000' }, false],
    ['a name that was turned to this address', {}, { host: 'rebound.example:3000' }, false],
    ['a name of a service that does so', {}, { host: '127.0.0.1.nip.example' }, false],
    ['an address elsewhere', {}, { host: '203.0.113.9' }, false],
    ['no host', {}, { host: null }, false],
    ['an empty host', {}, { host: '' }, false],
    ['a port alone', {}, { host: ':3000' }, false],
    ['IPv6 in brackets', { host: '::1' }, { host: '[::1]:3000', at: '::1' }, true],
    ['IPv6 in another spelling', { host: '::1' }, { host: '[0:0:0:0:0:0:0:1]', at: '::1' }, true],
    ['IPv6 without brackets, which is not valid', { host: '::1' }, { host: '::1', at: '::1' }, false],
    ['a link-local address', { host: 'fe80::1%eth0' }, { host: '[fe80::1]:3000', at: 'fe80::1%eth0' }, true],
    ['an IPv4 address on a dual-stack socket', DUAL, { host: '192.168.1.5:3000', at: '::ffff:192.168.1.5' }, true],
    ['an address of the machine', LAN, { host: '192.168.1.5:3000', at: '192.168.1.5' }, true],
    ['a published port of a container', LAN, { host: '127.0.0.1:3000', at: '172.17.0.2' }, true],
    ['the same with IPv6', LAN, { host: '[::1]:3000', at: '172.17.0.2' }, true],
    ['the same on a dual-stack socket', DUAL, { host: '127.0.0.1:3000', at: 'fd00::2' }, true],
    ['the address that was written as HOST', LAN, { host: '0.0.0.0:3000', at: '127.0.0.1' }, true],
    ['an address that is not of the machine', LAN, { host: '192.168.1.6:3000', at: '192.168.1.5' }, false],
    ['a name on all addresses', LAN, { host: 'rebound.example', at: '192.168.1.5' }, false],
    [
      'the name that was written as HOST',
      { host: 'siteprint.lan' },
      { host: 'siteprint.lan:3000', at: '192.168.1.5' },
      true,
    ],
    ['a name of ALLOWED_HOSTS', { allowedHosts: ['siteprint.lan'] }, { host: 'Siteprint.lan.:80' }, true],
    ['a name below it', { allowedHosts: ['siteprint.lan'] }, { host: 'a.siteprint.lan' }, false],
    ['an address of ALLOWED_HOSTS', { allowedHosts: ['2001:db8::1'] }, { host: '[2001:DB8:0::1]:3000' }, true],
    ['an internationalized name', { allowedHosts: ['xn--bcher-kva.example'] }, { host: 'xn--bcher-kva.example' }, true],
  ])('%s', (_, settings, sent, expected) => {
    expect(isServed(settings, sent)).toBe(expected)
  })
})

describe('with PUBLIC_URL', () => {
  test.each<[string, Partial<HostSettings>, Sent, boolean]>([
    ['its host', PUBLIC, { host: 'siteprint.example' }, true],
    ['its host with another port, which the proxy may change', PUBLIC, { host: 'SITEPRINT.example.:443' }, true],
    ['localhost', PUBLIC, { host: 'localhost:3000' }, false],
    ['the address of the connection', PUBLIC, { host: '127.0.0.1:3000' }, false],
    ['a name below it', PUBLIC, { host: 'www.siteprint.example' }, false],
    ['a name of ALLOWED_HOSTS', { ...PUBLIC, allowedHosts: ['localhost'] }, { host: 'localhost' }, true],
    ['an address as its host', { publicUrl: 'http://[2001:db8::1]' }, { host: '[2001:db8::1]' }, true],
  ])('%s', (_, settings, sent, expected) => {
    expect(isServed(settings, sent)).toBe(expected)
  })
})

describe('what else names a host', () => {
  test.each<[string, Sent, boolean]>([
    ['a target in absolute form', { host: 'localhost', target: 'http://localhost:3000/x' }, true],
    ['one with another host', { host: 'localhost', target: 'http://rebound.example/x' }, false],
    ['one with a user', { host: 'localhost', target: 'http://a@localhost/x' }, false],
    ['one without a path', { host: 'localhost', target: 'HTTP://rebound.example?x' }, false],
    ['one with the right host below a wrong header', { host: 'rebound.example', target: 'http://localhost/x' }, false],
    ['one without a header', { host: null, target: 'http://localhost/x' }, false],
    ['X-Forwarded-Host is not read', { host: 'localhost', headers: { 'x-forwarded-host': 'rebound.example' } }, true],
    [
      'X-Forwarded-Host is not believed',
      { host: 'rebound.example', headers: { 'x-forwarded-host': 'localhost' } },
      false,
    ],
    ['Forwarded is not believed', { host: 'rebound.example', headers: { forwarded: 'host=localhost' } }, false],
  ])('%s', (_, sent, expected) => {
    expect(isServed({}, sent)).toBe(expected)
  })
})

describe('a request to a host that is not served', () => {
  const HOST = { host: 'rebound.example:3000' }

  test('gets 421 from every endpoint of the API, whatever its key, and does not count', async () => {
    const app = await openApp()
    const { secret } = await app.newKey()
    for (const url of ['/api/v1/scan?url=https://example.org', '/api/v1/me', '/api/v1/nothing', '/api/v1/me/'])
      for (const method of ['GET', 'POST', 'OPTIONS', 'HEAD'])
        for (const key of [secret, undefined]) {
          const { status, body, headers } = await app.call({ method, url, headers: HOST, ...(key && { secret: key }) })
          expect([url, method, status, headers['x-ratelimit-remaining']]).toEqual([url, method, 421, '20'])
          if (method !== 'HEAD') expect(Object.keys(body)).toEqual(['error', 'code', 'retryable', 'requestId'])
          if (method !== 'HEAD') expect(body).toMatchObject({ code: 'misdirected_request', retryable: false })
        }
    expect((await app.call({ url: '/api/v1/me', secret })).headers['x-ratelimit-remaining']).toBe('119')
    expect(app.scanned).toEqual([])
  })

  test.each<[revision: 1 | 2, string[]]>([
    [1, ['error', 'code', 'requestId']],
    [2, ['error', 'code', 'retryable', 'requestId']],
  ])('names the setting and the request id, in revision %d', async (apiRevision, fields) => {
    const app = await openApp({ settings: { apiRevision } })
    const { body, headers } = await app.call({ url: '/api/v1/me', headers: { ...HOST, 'x-request-id': 'mine' } })
    expect([Object.keys(body), body.requestId, headers['x-request-id']]).toEqual([fields, 'mine', 'mine'])
    expect(body.error).toMatch(/PUBLIC_URL.*ALLOWED_HOSTS/)
    expect(headers['cache-control']).toBe('no-store')
  })

  const linesOf = (app: TestApp) =>
    app
      .log()
      .split('\n')
      .flatMap((line) => (line.includes('misdirected_request') ? [JSON.parse(line)] : []))

  test('is logged with the host, but never with a key', async () => {
    const app = await openApp()
    const { secret } = await app.newKey()
    for (const host of ['Rebound.example:3000', `${secret}.example`, 'a'.repeat(5000)])
      await app.call({ url: '/api/v1/me', headers: { host } })
    expect(linesOf(app).map(({ status, host }) => [status, host])).toEqual([
      [421, 'rebound.example'],
      [421, undefined],
      [421, 'a'.repeat(253)],
    ])
  })

  test.each(['/health/live', '/health/ready'])('is answered by the health check %s', async (url) => {
    const app = await openShared()
    for (const headers of [HOST, { host: '10.1.2.3:3000' }, { host: '' }])
      expect((await app.call({ url, headers })).status).toBe(200)
  })

  test.each([
    '/',
    '/docs',
    '/docs/',
    '/docs/static/swagger-ui.css',
    '/openapi.json',
    '/favicon.ico',
    '/nothing',
    '/metrics',
    '/%',
  ])('gets JSON outside of the API: %s', async (url) => {
    const { status, body } = await (await openShared()).call({ url, headers: HOST })
    expect([status, body?.code]).toEqual([421, 'misdirected_request'])
  })

  test('gets a page from the portal, before anything is read: sign-up, assets, forms and unknown paths', async () => {
    const { openBrowser } = await openPortal()
    const browser = openBrowser()
    const form = { name: 'A', email: 'a@a.example', password: 'p' }
    for (const path of ['/', '/signup', '/login', '/account/keys', '/admin', '/verify?token=x', '/%'])
      for (const sent of [{ path }, { path, form, headers: { origin: 'http://rebound.example:3000' } }]) {
        const { status, headers, html } = await browser.send({ ...sent, headers: { ...HOST, ...sent.headers } })
        expect([path, status, headers['cache-control'], headers['set-cookie']]).toEqual([
          path,
          421,
          'no-store',
          undefined,
        ])
        if (!html.startsWith('{')) expect(html).toContain(`<code>${headers['x-request-id']}</code>`)
        expect(html).toContain('ALLOWED_HOSTS')
        expect(html).not.toContain('rebound.example')
      }
  })
})
