import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { CancellableTimer } from '../../src/async/cancellable-timer.ts'

function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('a restarted timer aborts with the reason of its last start', async () => {
  const timer = new CancellableTimer()
  timer.start(1, () => 'first')
  timer.start(2, () => 'second')
  await once(timer.signal, 'abort')
  expect(timer.signal.reason).toBe('second')
})

test('a stopped timer does not abort', async () => {
  const timer = new CancellableTimer()
  timer.start(1, () => 'late')
  timer.stop()
  blockEventLoop(5)
  await turn()
  await turn()
  expect(timer.signal.aborted).toBe(false)
})

test('a message that arrived while the event loop was blocked is in time', async () => {
  const { port1, port2 } = new MessageChannel()
  const timer = new CancellableTimer()
  port1.on('message', () => timer.stop())
  await turn()
  timer.start(1, () => 'late')
  port2.postMessage('the answer')
  blockEventLoop(20)
  await turn()
  await turn()
  await turn()
  expect(timer.signal.aborted).toBe(false)
  port1.close()
})
