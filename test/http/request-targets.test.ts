import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApp, type TestApp } from './app-fixture.ts'
import { expectApiError, talk } from './raw-client.ts'

let app: TestApp
let auth: string
let port: number
beforeAll(async () => {
  app = await openApp({ settings: { allowedHosts: ['a_b.example', 'b.example'] } })
  auth = `X-Api-Key: ${(await app.newKey()).secret}\r\n`
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (app.fastify.server.address() as AddressInfo).port
})

/** A placeholder, because the table is built before the key exists; `send` inserts the key. */
const head = (line: string, ...headers: string[]): string => `${[line, ...headers].join('\r\n')}\r\n{key}\r\n`
const send = (text: string): ReturnType<typeof talk> => talk(port, text.replaceAll('{key}', auth))

const CODES: Readonly<Record<number, string>> = { 400: 'invalid_request', 421: 'misdirected_request' }

describe('the Host header', () => {
  test.each<[string, string, number]>([
    ['none, in HTTP/1.0', head('GET /api/v1/me HTTP/1.0'), 421],
    ['none', head('GET /api/v1/me HTTP/1.1'), 400],
    ['none, with a target in absolute form', head('GET http://a.example/api/v1/me HTTP/1.1'), 400],
    ['two', head('GET /api/v1/me HTTP/1.1', 'Host: a', 'Host: b'), 400],
    ['the same twice', head('GET /api/v1/me HTTP/1.1', 'Host: a', 'hOST: a'), 400],
    ['two, separated', head('GET /api/v1/me HTTP/1.1', 'Host: a', 'Accept: */*', 'HOST: a'), 400],
    ['two, in HTTP/1.0', head('GET /api/v1/me HTTP/1.0', 'Host: a', 'Host: b'), 400],
    ['two, outside the API', head('GET /health/live HTTP/1.1', 'Host: a', 'Host: b'), 400],
    ['with a space', head('GET /api/v1/me HTTP/1.1', 'Host: a b'), 400],
    ['with a path', head('GET /api/v1/me HTTP/1.1', 'Host: a/b'), 400],
    ['with a user', head('GET /api/v1/me HTTP/1.1', 'Host: u@a'), 400],
    ['with an invalid port', head('GET /api/v1/me HTTP/1.1', 'Host: a:x'), 400],
    ['empty', head('GET /api/v1/me HTTP/1.1', 'Host:'), 421],
    ['an address', head('GET /api/v1/me HTTP/1.1', 'Host: 127.0.0.1:3000'), 200],
    ['a name and a port', head('GET /api/v1/me HTTP/1.1', 'Host: a_b.example:3000'), 200],
    [
      'one, and another header of the same length',
      head('GET /api/v1/me HTTP/1.1', 'Host: localhost', 'From: a@a.example'),
      200,
    ],
  ])('%s', async (_, text, status) => {
    const { replies } = await send(text)
    expect(replies.map((reply) => [reply.status, reply.body.code])).toEqual([[status, CODES[status]]])
    if (status !== 200 && text.includes('/api/')) expectApiError(replies[0])
  })
})

describe('the request target', () => {
  test.each<[string, string, number, limit: string | undefined]>([
    ['absolute form', 'GET http://b.example/api/v1/me', 200, '120'],
    ['absolute form with capitals, port and query', 'GET HTTPS://b.example:44/health/live?x', 200, undefined],
    ['absolute form without a path', 'GET http://b.example', 302, undefined],
    ['absolute form without a path, with a query', 'GET http://b.example?x', 302, undefined],
    ['asterisk form', 'OPTIONS *', 204, undefined],
    ['an escaped path', 'GET /%61pi/v1/me', 200, '120'],
    ['a path that cannot be decoded', 'GET /api/v1/%zz', 404, '120'],
    ['an undecodable segment after an escaped one', 'GET /%61pi/v1/%zz', 404, '120'],
    ['a path that cannot be decoded, elsewhere', 'GET /%zz/v1/%61', 404, undefined],
  ])('%s', async (_, line, status, limit) => {
    const { replies } = await send(head(`${line} HTTP/1.1`, 'Host: localhost'))
    expect(replies.map((reply) => [reply.status, reply.headers['x-ratelimit-limit']])).toEqual([[status, limit]])
  })
})

describe('an upgrade request gets an ordinary response that ends the connection', () => {
  test.each([
    ['websocket', 'Connection: Upgrade', 'Upgrade: websocket'],
    ['h2c', 'Connection: keep-alive, upgrade, HTTP2-Settings', 'Upgrade: h2c'],
  ])('%s', async (_, connection, upgrade) => {
    const first = head('GET /api/v1/me HTTP/1.1', 'Host: localhost', connection, upgrade)
    const { replies, isClosed } = await send(first + head('GET /api/v1/me HTTP/1.1', 'Host: localhost'))
    expect(replies.map(({ status, headers }) => [status, headers.connection])).toEqual([[200, 'close']])
    expect(isClosed).toBe(true)
  })
})

describe('outside the API a wrong method gets 405 and an unknown path 404', () => {
  test.each([
    ['/health/live', 'GET, HEAD, OPTIONS'],
    ['/health/ready', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
    ['/docs/static/index.html', 'GET, HEAD, OPTIONS'],
    ['/nothing', undefined],
    ['/openapi-1.json', 'GET, HEAD, OPTIONS'],
    ['/favicon.ico', 'GET, HEAD, OPTIONS'],
    ['/', 'GET, HEAD, OPTIONS'],
  ])('%s', async (url, allow) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND', 'OPTIONS']) {
      const { status, headers, body } = await app.call({ method, url })
      const [wanted, code] = allow === undefined ? [404, 'not_found'] : [405, 'method_not_allowed']
      const isOptions = method === 'OPTIONS' && allow !== undefined
      expect([method, status, headers.allow, body?.code]).toEqual([
        ...[method, isOptions ? 204 : wanted, allow, isOptions ? undefined : code],
      ])
    }
  })
})

describe('a proxy that is not trusted', () => {
  const warnings = (of: TestApp): string[] =>
    of
      .log()
      .split('\n')
      .filter((line) => line.includes('TRUST_PROXY'))
  const forwarded = { 'x-forwarded-for': '198.51.100.7' }

  test.each([
    ['X-Forwarded-For', forwarded],
    ['Forwarded', { forwarded: 'for=198.51.100.7' }],
  ])('is warned of once: %s', async (_, headers) => {
    const untrusting = await openApp()
    await untrusting.call({ url: '/health/live' })
    expect(warnings(untrusting)).toEqual([])
    for (let i = 0; i < 3; i++) await untrusting.call({ url: '/health/live', headers })
    expect(warnings(untrusting).map((line) => JSON.parse(line).level)).toEqual([40])
    expect(warnings(untrusting)[0]).not.toContain('198.51.100.7')
  })

  test.each([[1], [['127.0.0.1']]])('TRUST_PROXY=%s: no warning', async (trustProxy) => {
    const trusting = await openApp({ settings: { trustProxy } })
    await trusting.call({ url: '/health/live', headers: forwarded })
    expect(warnings(trusting)).toEqual([])
  })
})
