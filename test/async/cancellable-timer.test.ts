import { once } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Stop } from '../../src/async/cancellable-timer.ts'

/** Keeps this thread busy. */
function spin(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('the clock stops with its reason; set anew, with the new one', async () => {
  const stop = new Stop()
  stop.after(1, () => 'first')
  stop.after(2, () => 'second')
  await once(stop.signal, 'abort')
  expect(stop.signal.reason).toBe('second')
})

test('a stopped clock says nothing', async () => {
  const stop = new Stop()
  stop.after(1, () => 'late')
  stop.never()
  spin(5)
  await turn()
  await turn()
  expect(stop.signal.aborted).toBe(false)
})

test('an answer that came while this thread was busy is in time', async () => {
  const { port1, port2 } = new MessageChannel()
  const stop = new Stop()
  port1.on('message', () => stop.never())
  await turn()
  stop.after(1, () => 'late')
  port2.postMessage('the answer')
  spin(20)
  await turn()
  await turn()
  await turn()
  expect(stop.signal.aborted).toBe(false)
  port1.close()
})
