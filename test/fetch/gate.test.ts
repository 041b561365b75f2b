import { expect, test } from 'vitest'
import { HostGate } from '../../src/fetch/gate.ts'
import { nothingOpenedSince, openHandles } from '../open-handles.ts'

const { signal } = new AbortController()

test('visitors of one host come one at a time, in order, after the pause; other hosts do not wait', async () => {
  const gate = new HostGate(50)
  const order: string[] = []
  const visit = async (name: string, host: string): Promise<number> => {
    const leave = await gate.enter(host, signal)
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    const left = performance.now()
    leave()
    return left
  }
  const [first, second] = await Promise.all([visit('a1', 'a'), visit('a2', 'a'), visit('b1', 'b')])
  expect(order).toEqual(['a1', 'b1', 'a2'])
  expect(second - first).toBeGreaterThanOrEqual(48) // A timer may fire a millisecond early.
})

test('who gives up waiting is told why, leaves nothing behind, and holds up nobody', async () => {
  const before = openHandles()
  const gate = new HostGate(0)
  const leave = await gate.enter('a', signal)
  const giveUp = new AbortController()
  const waiting = gate.enter('a', giveUp.signal)
  const after = gate.enter('a', signal)
  giveUp.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  leave()
  ;(await after)()
  await nothingOpenedSince(before)
})
