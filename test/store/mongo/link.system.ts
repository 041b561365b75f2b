import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import type { Charge } from '../../../src/store/types.ts'
import { mongoUrl } from '../../support/services.ts'

const url = mongoUrl('MongoDB connections')
const buildCharge = (key: string): Charge => ({ counter: key, day: '2026-05-17', quota: 10, at: new Date(0) })

/** A proxy whose connections can be cut while the server keeps running. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ]) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => sockets.delete(from) && to.destroy())
      from.pipe(to)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = (): void => void server.close(cut)
  return { port: (server.address() as AddressInfo).port, cut, stop }
}

/** Whether a charge got no answer within its time. */
function isLost(settled: PromiseSettledResult<unknown>): boolean {
  return settled.status === 'rejected' && /not answered|waited too long/.test(String(settled.reason))
}

describe.skipIf(url === null)('connections that end at the moment of a write', () => {
  const own = new URL(url ?? 'mongodb://127.0.0.1')
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    proxy = await startProxy(new URL(own))
    own.port = `${proxy.port}`
  })
  afterAll(() => proxy.stop())

  test('are replaced, even if all connections of the pool are lost', async () => {
    const store = await openMongo({ url: `${own.href}?maxPoolSize=2` })
    const pair = (name: string) =>
      Promise.allSettled([0, 1].map((n) => store.usage.charge(buildCharge(`${name}-${n}`))))
    // The moment is a phase within one turn of the event loop.
    let areAllLost = false
    const end = performance.now() + 30_000
    for (let round = 0; performance.now() < end && !areAllLost; round++) {
      proxy.cut()
      for (let turn = 0; turn < round % 5; turn++) await nextTurn()
      void pair(`at-${round}`)
      await sleep(100)
      areAllLost = (await pair(`after-${round}`)).every(isLost)
    }
    expect(
      areAllLost,
      'the driver no longer loses connections: remove the replacement of clients from link.ts, and this test',
    ).toBe(true)
    await sleep(8000)
    for (let n = 0; n < 20; n++)
      expect(await pair(`later-${n}`)).toEqual(Array(2).fill({ status: 'fulfilled', value: 1 }))
    await store.close()
  })
})
