import type { Socket } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { readUsed } from '../store/read-used.ts'
import { until } from '../support/until.ts'
import { newSite, onePlan, openApp, scanOf, type TestApp, type TestKey } from './app-fixture.ts'
import { openEmbedded } from './app-kinds.ts'
import { pauseScans } from './paused-scan.ts'
import { connectTo, readReplies, readUntilClosed, untilEnded } from './raw-client.ts'

const held = pauseScans()
let app: TestApp
let key: TestKey
beforeAll(async () => {
  app = await openApp({ settings: onePlan(100_000, 100_000), scan: held.scan })
  key = await app.newKey({ plan: 'free' })
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
})

const used = (): Promise<number> => readUsed(app.store, key.key.id, new Date(app.clock.now).toISOString().slice(0, 7))
const requestOf = (path: string, version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${key.secret}\r\n\r\n`
const openSocket = (): ReturnType<typeof connectTo> => connectTo(app.fastify.server)
const abandoned = async (): Promise<number> => {
  const { values } = await app.parts.metrics.abandoned.get()
  return values.reduce((sum, { value }) => sum + value, 0)
}

/** Charges another scan. The store writes charges in their order, so one of an earlier request would be counted, too. */
async function expectNoOtherCharge(usedBefore: number): Promise<void> {
  const answer = app.call({ url: scanOf(newSite()), secret: key.secret })
  await until(held.count, 1)
  held.complete()
  expect((await answer).status).toBe(200)
  expect(await used()).toBe(usedBefore + 1)
}

describe('a client that disconnects is not charged', () => {
  test.each<[string, string, (socket: Socket, received: Socket) => unknown]>([
    ['closes', '1.1', (socket) => socket.destroy()],
    ['resets', '1.1', (socket) => socket.resetAndDestroy()],
    ['closes, with HTTP/1.0', '1.0', (socket) => socket.destroy()],
    ['resets, with HTTP/1.0', '1.0', (socket) => socket.resetAndDestroy()],
    [
      'finishes sending, and closes later',
      '1.1',
      async (socket, received) => {
        socket.end()
        await untilEnded(received)
        socket.destroy()
      },
    ],
  ])('%s', async (_, version, leave) => {
    const [usedBefore, abandonedBefore] = [await used(), await abandoned()]
    const { socket, received } = await openSocket()
    socket.write(requestOf(scanOf(newSite()), version))
    await until(held.count, 1)
    await leave(socket, received)
    await untilEnded(received)
    held.complete()
    await until(abandoned, abandonedBefore + 1)
    await expectNoOtherCharge(usedBefore)
    const lines = app.log().split('\n')
    expect(lines.some((line) => line.includes(key.key.id) && line.includes('disconnected before the response'))).toBe(
      true,
    )
  })

  test('for all its pipelined requests', async () => {
    const [usedBefore, abandonedBefore] = [await used(), await abandoned()]
    const { socket, received } = await openSocket()
    socket.write([1, 2, 3].map(() => requestOf(scanOf(newSite()))).join(''))
    await until(held.count, 3)
    socket.destroy()
    await untilEnded(received)
    held.complete()
    await until(abandoned, abandonedBefore + 3)
    await expectNoOtherCharge(usedBefore)
  })

  test('and other clients that wait for the same scan are', async () => {
    const [usedBefore, abandonedBefore] = [await used(), await abandoned()]
    const path = scanOf(newSite())
    const before = app.answered('usedBy')
    const [{ socket: leaver, received }, { socket: stayer }] = [await openSocket(), await openSocket()]
    for (const socket of [leaver, stayer]) socket.write(requestOf(path))
    // Both have passed the check of the quota, and wait for the scan.
    await until(() => [held.count(), app.answered('usedBy') - before], [1, 2])
    leaver.destroy()
    await untilEnded(received)
    held.complete()
    stayer.once('data', () => stayer.end())
    expect(readReplies(await readUntilClosed(stayer)).map(({ status }) => status)).toEqual([200])
    await until(abandoned, abandonedBefore + 1)
    expect(await used()).toBe(usedBefore + 1)
  })

  test('not even for a cached result, if the disconnect is detected before the charge', async () => {
    const stores = await openEmbedded()
    let lookedUp = (): void => {}
    let release = (): void => {}
    const shared = {
      ...stores.shared,
      isUp: true,
      countRequest: async (query: Parameters<typeof stores.shared.countRequest>[0]) => {
        const taken = await stores.shared.countRequest(query)
        if (taken.entry !== null) {
          lookedUp()
          await new Promise<void>((resolve) => {
            release = resolve
          })
        }
        return taken
      },
    }
    const slow = await openApp({ stores: { ...stores, shared } })
    const mine = await slow.newKey()
    await slow.fastify.listen({ port: 0, host: '127.0.0.1' })
    const path = scanOf(newSite())
    expect((await slow.call({ url: path, secret: mine.secret })).status).toBe(200)
    const { socket, received } = await connectTo(slow.fastify.server)
    const isLookedUp = new Promise<void>((resolve) => {
      lookedUp = resolve
    })
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: ${mine.secret}\r\n\r\n`)
    await isLookedUp
    socket.destroy()
    await untilEnded(received)
    release()
    await until(() => slow.log().includes('disconnected before the response'), true)
    expect(await readUsed(slow.store, mine.key.id, new Date(slow.clock.now).toISOString().slice(0, 7))).toBe(1)
  })
})

describe('a client that finished sending and still reads gets its response and is charged', () => {
  test.each([
    ['one request', 1],
    ['three pipelined requests', 3],
  ])('%s', async (_, count) => {
    const usedBefore = await used()
    const { socket, received } = await openSocket()
    socket.end(Array.from({ length: count }, () => requestOf(scanOf(newSite()))).join(''))
    await until(held.count, count)
    await untilEnded(received)
    held.complete()
    const replies = readReplies(await readUntilClosed(socket))
    expect(replies.map(({ status }) => status).filter((status) => status !== 100)).toEqual(Array(count).fill(200))
    expect(await used()).toBe(usedBefore + count)
  })

  test('an error, without a charge', async () => {
    const { socket } = await openSocket()
    socket.end(requestOf('/api/v1/nothing'))
    const replies = readReplies(await readUntilClosed(socket))
    expect(replies.map(({ status }) => status).filter((status) => status !== 100)).toEqual([404])
  })
})

test('a kept-alive connection that ends between two requests is closed', async () => {
  const { socket } = await openSocket()
  socket.write(requestOf('/api/v1/me'))
  await new Promise((resolve) => socket.once('data', resolve))
  socket.end()
  expect(await readUntilClosed(socket)).toBe('')
})
