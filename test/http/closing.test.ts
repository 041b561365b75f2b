import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { newSite, openHost, scanOf } from './app-fixture.ts'
import { heldScan } from './held-scan.ts'
import { readReplies, untilClosed } from './raw-talk.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

test('draining: not ready, alive, and answers that ask for their connection to be closed', async () => {
  const host = await openHost()
  const { secret } = await host.newKey()
  const before = await host.call({ url: '/health/ready' })
  expect([before.status, before.body, before.headers.connection]).toEqual([200, { status: 'ready' }, 'keep-alive'])
  host.host.drain()
  const ready = await host.call({ url: '/health/ready' })
  expect([ready.status, ready.body]).toEqual([503, { status: 'not ready', why: 'draining' }])
  const me = await host.call({ url: '/api/v1/me', secret })
  expect([me.status, me.headers.connection]).toEqual([200, 'close'])
  expect((await host.call({ url: '/health/live' })).body).toEqual({ status: 'live' })
})

test('closing: what is under way is answered and charged, what is idle ends, what comes on an open connection is answered', async () => {
  const held = heldScan()
  const host = await openHost({ scan: held.scan })
  const { key, secret } = await host.newKey()
  await host.host.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = host.host.app.server.address() as AddressInfo
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
  host.host.drain()
  const closed = host.host.close()
  await pause(300)
  held.land()
  for (const answer of await Promise.all(running)) expect(answer).toEqual({ status: 200, connection: 'close' })
  await closed
  await idleEnds
  expect(await host.store.usage.usedBy(key.id, new Date(host.clock.now).toISOString().slice(0, 7))).toBe(2)
  await expect(ask('/api/v1/me')).rejects.toThrow()
  agent.destroy()
})

test.each([
  ['two scans', () => [newSite(), newSite()].map((url) => scanOf(url))],
  ['a scan and a look at the key', () => [scanOf(newSite()), '/api/v1/me']],
])('closing: of %s on one connection both are answered, in their order', async (_, paths) => {
  const { held, host, secret, socket } = await openConnection()
  const asked = paths()
  socket.write(asked.map((path) => requestOf(path, secret)).join(''))
  await until(held.count, asked.filter((path) => path.includes('/scan')).length)
  host.host.drain()
  const closed = host.host.close()
  held.land()
  const replies = readReplies(await untilClosed(socket))
  expect(replies.map(({ status, body }) => [status, 'url' in body])).toEqual(
    asked.map((path) => [200, path.includes('/scan')]),
  )
  const start = performance.now()
  await closed
  expect(performance.now() - start).toBeLessThan(5000)
})

test('closing does not wait for answers that nobody is there to read', async () => {
  const { held, host, secret, socket } = await openConnection()
  socket.write([1, 2, 3].map(() => requestOf(scanOf(newSite()), secret)).join(''))
  await until(held.count, 3)
  socket.destroy()
  await once(socket, 'close')
  const start = performance.now()
  host.host.drain()
  const closed = host.host.close()
  held.land()
  await closed
  expect(performance.now() - start).toBeLessThan(5000)
})

function requestOf(path: string, secret: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer ${secret}\r\n\r\n`
}

/** A host that holds its scans, and a connection to it. */
async function openConnection() {
  const held = heldScan()
  const host = await openHost({ scan: held.scan })
  const { secret } = await host.newKey()
  await host.host.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((host.host.app.server.address() as AddressInfo).port, '127.0.0.1')
  return { held, host, secret, socket }
}
