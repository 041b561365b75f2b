import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { newSite, onePlan, openApp, scanOf, type TestApp } from './app-fixture.ts'
import { pauseScans } from './paused-scan.ts'
import { connectTo, expectApiError, readReplies, readUntilClosed, talk as talkTo } from './raw-client.ts'

const held = pauseScans()
let app: TestApp
let auth: string
let port: number
beforeAll(async () => {
  app = await openApp({ settings: onePlan(100_000, 100_000), scan: held.scan })
  auth = `Authorization: Bearer ${(await app.newKey({ plan: 'free' })).secret}\r\n`
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (app.fastify.server.address() as AddressInfo).port
})

const head = (line: string, ...headers: string[]): string => `${[line, 'Host: localhost', ...headers].join('\r\n')}\r\n`
const me = head('GET /api/v1/me HTTP/1.1')
const post = head('POST /api/v1/scan HTTP/1.1', 'Content-Type: application/json')
const openConnections = (): Promise<number> =>
  new Promise((resolve) => app.fastify.server.getConnections((_, count) => resolve(count)))
const talk = (...texts: (string | Buffer)[]) => talkTo(port, ...texts)

describe('input that Node cannot parse gets an API error and ends the connection', () => {
  test.each([
    ['not HTTP', 'hello\r\n\r\n'],
    ['TLS', Buffer.from('16030100c8010000c403', 'hex')],
    ['an unknown method', head('FOO / HTTP/1.1')],
    ['an unknown version', head('GET / HTTP/9.9')],
    ['a space in a header', head('GET / HTTP/1.1', 'a b: c')],
    ['headers of 20,000 bytes', head('GET / HTTP/1.1', `X: ${'a'.repeat(20_000)}`)],
    ['a path of 20,000 bytes', head(`GET /${'a'.repeat(20_000)} HTTP/1.1`)],
    ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['an invalid length', `${post}Content-Length: two\r\n\r\n{}`],
    ['a length and chunks', `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['invalid chunks', () => `${post}${auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`],
    ['CONNECT', head('CONNECT a:80 HTTP/1.1')],
  ] as [string, string | Buffer | (() => string)][])('%s', async (_, text) => {
    const { replies, isClosed } = await talk(
      typeof text === 'function' ? text() : `${text}` === text ? `${text}\r\n` : text,
    )
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual([[400, 'invalid_request']])
    expectApiError(replies[0])
    expect(replies[0].headers.connection).toBe('close')
    expect(isClosed).toBe(true)
  })

  test('after a response on the same connection', async () => {
    const { replies, isClosed } = await talk(`${me}${auth}\r\n`, 'hello\r\n\r\n')
    expect(replies.map(({ status }) => status)).toEqual([200, 400])
    expectApiError(replies[1])
    expect(isClosed).toBe(true)
  })

  test('the rest of an answered request gets no response of its own', async () => {
    const { replies, isClosed } = await talk(`${post}Transfer-Encoding: chunked\r\n\r\n`, 'ZZ\r\n')
    expect(replies.map(({ status }) => status)).toEqual([401])
    expect(isClosed).toBe(true)
  })

  test('after the pending responses', async () => {
    const { replies, isClosed } = await talk(`${me}${auth}\r\n${me}${auth}\r\nhello\r\n\r\n`)
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 400])
    expect(isClosed).toBe(true)
  })

  test('its id is in the log', async () => {
    const { replies } = await talk('hello\r\n\r\n')
    expect(app.log()).toContain(replies[0].body.requestId)
  })

  test('HTTP/1.1 without a Host header', async () => {
    for (const key of ['', auth]) {
      const { replies } = await talk(`GET /api/v1/me HTTP/1.1\r\n${key}\r\n`)
      expect(replies.map(({ status, body }) => [status, body.code])).toEqual([[400, 'invalid_request']])
      expectApiError(replies[0])
    }
  })
})

describe('bodies', () => {
  const json = JSON.stringify({ url: 'https://10.0.0.1' })
  test.each([
    [
      'chunked',
      () => [`${post}${auth}Transfer-Encoding: chunked\r\n\r\n${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n`],
      'blocked_target',
      false,
    ],
    [
      '100-continue',
      () => [`${post}${auth}Expect: 100-continue\r\nContent-Length: ${json.length}\r\n\r\n`, json],
      'blocked_target',
      false,
    ],
    [
      'another expectation',
      () => [`${post}${auth}Expect: tea\r\nContent-Length: ${json.length}\r\n\r\n${json}`],
      'blocked_target',
      false,
    ],
    [
      '20,480 bytes in chunks',
      () => [`${post}${auth}Transfer-Encoding: chunked\r\n\r\n5000\r\n${' '.repeat(0x5000)}`],
      'invalid_request',
      true,
    ],
    [
      'a length of 5 MB, nothing sent',
      () => [`${post}${auth}Content-Length: 5000000\r\n\r\n`],
      'invalid_request',
      true,
    ],
    ['5 MB', () => [`${post}${auth}Content-Length: 5000000\r\n\r\n${' '.repeat(5_000_000)}`], 'invalid_request', true],
    [
      '5 MB without a key',
      () => [`${post}Content-Length: 5000000\r\n\r\n${' '.repeat(100_000)}`, ' '.repeat(4_900_000)],
      'unauthorized',
      false,
    ],
  ] as [string, () => string[], string, boolean][])('%s', async (_, texts, code, closes) => {
    const { replies, isClosed } = await talk(...texts())
    const answers = replies.filter(({ status }) => status !== 100)
    expect(answers.map(({ body }) => body.code)).toEqual([code])
    expectApiError(answers[0])
    expect(isClosed).toBe(closes)
  })

  test('in two parts', async () => {
    const { socket, received } = await connectTo(app.fastify.server)
    const [first, second] = [`${post}${auth}Content-Length: ${json.length}\r\n\r\n${json.slice(0, 9)}`, json.slice(9)]
    socket.write(first)
    await until(() => received.bytesRead, first.length)
    socket.end(second)
    const replies = readReplies(await readUntilClosed(socket))
    expect(replies.map(({ body }) => body.code)).toEqual(['blocked_target'])
    expectApiError(replies[0])
  })

  test('a client that disconnects in the middle of its body does not affect others', async () => {
    const { socket, received } = await connectTo(app.fastify.server)
    const part = `${post}${auth}Content-Length: 1000\r\n\r\n{"url`
    socket.write(part)
    await until(() => received.bytesRead, part.length)
    const closed = once(received, 'close')
    socket.destroy()
    await closed
    expect((await talk(`${me}${auth}\r\n`)).replies[0].status).toBe(200)
  })

  test('an incomplete request is rejected after 10 s', async () => {
    const { server } = app.fastify
    expect([server.requestTimeout, server.headersTimeout]).toEqual([10_000, 10_000])
    // Node compares connections with these limits once per second.
    Object.assign(server, { requestTimeout: 1, headersTimeout: 1 })
    const { socket } = await connectTo(app.fastify.server)
    socket.write(`${post}${auth}Content-Length: 100\r\n\r\n{"url`)
    const [reply] = readReplies(await readUntilClosed(socket))
    Object.assign(server, { requestTimeout: 10_000, headersTimeout: 10_000 })
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request'])
    expect(reply.body.error).toBe('The request did not arrive completely in time.')
    expectApiError(reply)
  })
})

describe('connections', () => {
  test('pipelined requests are answered in order', async () => {
    const { replies, isClosed } = await talk(`${me}${auth}\r\n${head('GET /health/live HTTP/1.1')}\r\n${me}\r\n`)
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 401])
    expect(isClosed).toBe(false)
  })

  test('if a client disconnects, the scan continues and others get its result', async () => {
    const site = newSite()
    const before = app.answered('usedBy')
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head(`GET ${scanOf(site)} HTTP/1.1`)}${auth}\r\n`)
    await until(held.count, 1)
    const other = talk(`${head(`GET ${scanOf(site)} HTTP/1.1`)}${auth}\r\n`)
    // A reset, because after a FIN alone the client could still be reading.
    socket.resetAndDestroy()
    await until(() => app.answered('usedBy') - before, 2)
    await until(openConnections, 1)
    held.complete()
    expect((await other).replies.map(({ status, body }) => [status, body.cached])).toEqual([[200, false]])
    expect(app.scanned.filter((url) => url === site)).toHaveLength(1)
    const later = await talk(`${head(`GET ${scanOf(site)} HTTP/1.1`)}${auth}\r\n`)
    expect(later.replies[0].body.cached).toBe(true)
  })
})
