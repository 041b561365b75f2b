import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { beforeEach, expect, test, vi } from 'vitest'
import { readUsed } from '../store/read-used.ts'
import { until } from '../support/until.ts'
import { newSite, openApp, scanOf } from './app-fixture.ts'
import { pauseScans } from './paused-scan.ts'
import { readReplies, readUntilClosed } from './raw-client.ts'

// The clock does not move: the time after which requests are cut off never comes, so closing ends only when all are settled.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

test('draining: live but not ready, and responses close their connection', async () => {
  const app = await openApp()
  const { secret } = await app.newKey()
  const before = await app.call({ url: '/health/ready' })
  expect([before.status, before.body, before.headers.connection]).toEqual([200, { status: 'ready' }, 'keep-alive'])
  app.drain()
  const ready = await app.call({ url: '/health/ready' })
  expect([ready.status, ready.body]).toEqual([503, { status: 'not ready', why: 'draining' }])
  const me = await app.call({ url: '/api/v1/me', secret })
  expect([me.status, me.headers.connection]).toEqual([200, 'close'])
  expect((await app.call({ url: '/health/live' })).body).toEqual({ status: 'live' })
})

test('closing: pending requests are completed and charged, idle connections end, new connections are rejected', async () => {
  const held = pauseScans()
  const app = await openApp({ scan: held.scan })
  const { key, secret } = await app.newKey()
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.fastify.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string): Promise<{ status: number | undefined; connection: string | undefined }> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${secret}` }
      get({ port, path, agent, headers }, (response) => {
        response.resume().on('end', () => {
          resolve({ status: response.statusCode, connection: response.headers.connection })
        })
      }).on('error', reject)
    })
  const idle = connect(port, '127.0.0.1')
  const idleEnds = new Promise((resolve) => idle.on('close', resolve))
  await ask('/api/v1/me')
  const running = [ask(scanOf(newSite())), ask(scanOf(newSite()))]
  await until(held.count, 2)
  app.drain()
  const closing = vi.spyOn(app.fastify, 'close')
  const closed = app.close()
  await until(() => closing.mock.calls.length, 1)
  held.complete()
  for (const answer of await Promise.all(running)) expect(answer).toEqual({ status: 200, connection: 'close' })
  await closed
  await idleEnds
  expect(await readUsed(app.store, key.id, new Date(app.clock.now).toISOString().slice(0, 7))).toBe(2)
  await expect(ask('/api/v1/me')).rejects.toThrow()
  agent.destroy()
})

test.each([
  ['two scans', () => [newSite(), newSite()].map((url) => scanOf(url))],
  ['a scan and a /me request', () => [scanOf(newSite()), '/api/v1/me']],
])('closing: of %s on one connection both are answered, in their order', async (_, paths) => {
  const { held, app, secret, socket } = await openConnection()
  const asked = paths()
  socket.write(asked.map((path) => requestOf(path, secret)).join(''))
  await until(held.count, asked.filter((path) => path.includes('/scan')).length)
  app.drain()
  const closed = app.close()
  held.complete()
  const replies = readReplies(await readUntilClosed(socket))
  expect(replies.map(({ status, body }) => [status, 'url' in body])).toEqual(
    asked.map((path) => [200, path.includes('/scan')]),
  )
  await closed
})

test('closing does not wait for responses to clients that have disconnected', async () => {
  const { held, app, secret, socket } = await openConnection()
  socket.write([1, 2, 3].map(() => requestOf(scanOf(newSite()), secret)).join(''))
  await until(held.count, 3)
  socket.destroy()
  await once(socket, 'close')
  app.drain()
  const closed = app.close()
  held.complete()
  await closed
})

function requestOf(path: string, secret: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\n\r\n`
}

/** Opens an app with paused scans, and a connection to it. */
async function openConnection() {
  const held = pauseScans()
  const app = await openApp({ scan: held.scan })
  const { secret } = await app.newKey()
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((app.fastify.server.address() as AddressInfo).port, '127.0.0.1')
  return { held, app, secret, socket }
}
