import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { LoopAwareTimeout } from '../../src/async/loop-aware-timeout.ts'

const loopAwareTimeout = new LoopAwareTimeout()
const late = (): Error => new Error('late')
const never = new Promise<never>(() => {})

/** Blocks the event loop. */
function block(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** A connection to a server that returns each message after a delay. */
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

test('a promise that does not settle is rejected when its time is over', async () => {
  const start = performance.now()
  await expect(loopAwareTimeout.limit(never, 100, late)).rejects.toThrow('late')
  const took = performance.now() - start
  expect(took).toBeGreaterThanOrEqual(95)
  expect(took).toBeLessThan(2000)
})

test('each timeout has its own duration', async () => {
  const order: number[] = []
  const waiting = [120, 30, 60].map((ms) => loopAwareTimeout.limit(never, ms, late).catch(() => order.push(ms)))
  await Promise.all(waiting)
  expect(order).toEqual([30, 60, 120])
})

test('a result or an error that arrives in time is passed on', async () => {
  await expect(loopAwareTimeout.limit(sleep(10, 'there'), 1000, late)).resolves.toBe('there')
  await expect(loopAwareTimeout.limit(Promise.reject(new Error('its own')), 1000, late)).rejects.toThrow('its own')
})

test('time in which the event loop was blocked does not count', async () => {
  const socket = await openEcho(0)
  const answer = once(socket, 'data')
  const waiting = loopAwareTimeout.limit(answer, 100, late)
  socket.write('?')
  for (let turn = 0; turn < 3; turn++) {
    block(300)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect(waiting).resolves.toBeDefined()
})

test('the clock stops while no timeout is pending', async () => {
  await loopAwareTimeout.limit(Promise.resolve(), 1000, late)
  await sleep(50)
  const before = loopAwareTimeout.now
  await sleep(50)
  expect(loopAwareTimeout.now).toBe(before)
})
