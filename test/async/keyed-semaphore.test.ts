import { getEventListeners } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { KeyedSemaphore } from '../../src/async/keyed-semaphore.ts'
import { countRuns } from '../support/property-runs.ts'

/** A semaphore that records the order of admission; `a1` is the first caller of key a. */
function openSemaphore(options: ConstructorParameters<typeof KeyedSemaphore>[0]) {
  const semaphore = new KeyedSemaphore(options)
  const admitted: string[] = []
  const releases = new Map<string, () => void>()
  const acquire = async (name: string, signal?: AbortSignal): Promise<void> => {
    const release = await semaphore.acquire(name[0], signal)
    admitted.push(name)
    releases.set(name, release)
  }
  const release = async (name: string): Promise<void> => {
    releases.get(name)?.()
    await turn()
  }
  return { semaphore, admitted, acquire, release }
}

describe('limits', () => {
  test('per key: a key at its limit does not block other keys', async () => {
    const { semaphore, admitted, acquire, release } = openSemaphore({ perKey: 1 })
    for (const name of ['a1', 'a2', 'b1', 'a3']) void acquire(name)
    await turn()
    expect([admitted, semaphore.running, semaphore.waiting]).toEqual([['a1', 'b1'], 2, 2])
    await release('b1')
    expect(admitted).toEqual(['a1', 'b1'])
    await release('a1')
    await release('a2')
    expect(admitted).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  test('in total: FIFO, skipping keys at their limit', async () => {
    const { admitted, acquire, release } = openSemaphore({ perKey: 2, total: 3 })
    for (const name of ['a1', 'a2', 'b1', 'a3', 'c1', 'd1']) void acquire(name)
    await turn()
    expect(admitted).toEqual(['a1', 'a2', 'b1'])
    await release('b1')
    await release('a1')
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
  })

  test('a slot that is released twice is free once', async () => {
    const { semaphore, acquire, release } = openSemaphore({ perKey: 1 })
    for (const name of ['a1', 'a2', 'a3']) void acquire(name)
    await turn()
    await release('a1')
    await release('a1')
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 1])
  })

  test('a new call does not overtake a waiter', async () => {
    const { admitted, acquire, release } = openSemaphore({ perKey: 1 })
    await acquire('a1')
    void acquire('a2')
    const released = release('a1')
    void acquire('a3')
    await released
    expect(admitted).toEqual(['a1', 'a2'])
  })

  test('random calls never exceed a limit, and every caller is admitted', { tags: ['property'] }, async () => {
    const plan = fc.record({
      perKey: fc.integer({ min: 1, max: 3 }),
      total: fc.integer({ min: 1, max: 4 }),
      keys: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ perKey, total, keys }) => {
        const semaphore = new KeyedSemaphore({ perKey, total })
        const running: string[] = []
        const work = async (key: string): Promise<void> => {
          const release = await semaphore.acquire(key)
          running.push(key)
          expect(running.length).toBeLessThanOrEqual(total)
          expect(running.filter((other) => other === key).length).toBeLessThanOrEqual(perKey)
          await turn()
          running.splice(running.indexOf(key), 1)
          release()
        }
        await Promise.all(keys.map(work))
        expect([semaphore.running, semaphore.waiting]).toEqual([0, 0])
      }),
      { numRuns: countRuns(100) },
    )
  })
})

describe('an abort', () => {
  test('rejects a waiter with its reason, frees its place in the queue, and leaves no listener', async () => {
    const { semaphore, admitted, acquire, release } = openSemaphore({ perKey: 1 })
    const abort = new AbortController()
    await acquire('a1')
    const waiting = acquire('a2', abort.signal)
    void acquire('a3')
    abort.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    expect([semaphore.waiting, getEventListeners(abort.signal, 'abort')]).toEqual([1, []])
    await release('a1')
    expect(admitted).toEqual(['a1', 'a3'])
  })

  test('before the call takes no slot', async () => {
    const { semaphore, acquire } = openSemaphore({ perKey: 1 })
    await expect(acquire('a1', AbortSignal.abort('enough'))).rejects.toBe('enough')
    expect(semaphore.running).toBe(0)
  })

  test('after a slot was passed on does not lose the slot', async () => {
    const { semaphore, admitted, acquire, release } = openSemaphore({ perKey: 1 })
    const abort = new AbortController()
    await acquire('a1')
    const second = acquire('a2', abort.signal)
    const released = release('a1')
    abort.abort('late')
    await released
    await second
    await release('a2')
    expect([admitted, semaphore.running]).toEqual([['a1', 'a2'], 0])
  })
})
