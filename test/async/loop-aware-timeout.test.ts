import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { patience } from '../../src/async/loop-aware-timeout.ts'

const late = (): Error => new Error('late')
const never = new Promise<never>(() => {})

/** Holds this thread. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** A connection to a server that answers each message after a while. */
async function openEcho(afterMs: number): Promise<Socket> {
  const server = createServer((peer) => peer.on('data', (data) => setTimeout(() => peer.write(data), afterMs)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  return socket
}

test('who does not answer is given up, about in time', async () => {
  const start = performance.now()
  await expect(patience.inTime(never, 100, late)).rejects.toThrow('late')
  const took = performance.now() - start
  expect(took).toBeGreaterThanOrEqual(95)
  expect(took).toBeLessThan(2000)
})

test('each waits for its own time', async () => {
  const order: number[] = []
  const waiting = [120, 30, 60].map((ms) => patience.inTime(never, ms, late).catch(() => order.push(ms)))
  await Promise.all(waiting)
  expect(order).toEqual([30, 60, 120])
})

test('an answer, and a failure, come through', async () => {
  await expect(patience.inTime(sleep(10, 'there'), 1000, late)).resolves.toBe('there')
  await expect(patience.inTime(Promise.reject(new Error('its own')), 1000, late)).rejects.toThrow('its own')
})

test('what this thread was too busy to hear is no silence', async () => {
  const socket = await openEcho(0)
  const answer = once(socket, 'data')
  const waiting = patience.inTime(answer, 100, late)
  socket.write('?')
  for (let turn = 0; turn < 3; turn++) {
    block(300)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect(waiting).resolves.toBeDefined()
})

test('a clock that nobody needs does not run', async () => {
  await patience.inTime(Promise.resolve(), 1000, late)
  await sleep(50)
  const before = patience.now
  await sleep(50)
  expect(patience.now).toBe(before)
})
