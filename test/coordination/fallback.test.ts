import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeferred, type Deferred } from '../../src/async/deferred.ts'
import { withFallback } from '../../src/coordination/fallback.ts'
import type { SharedState } from '../../src/coordination/types.ts'
import { openTestMemory } from './open-coordinations.ts'

/** What the Redis of these tests does with a call: it answers, is silent until it answers again, or returns an error. */
type Mode = 'answers' | 'hangs' | 'fails'

const now = 1_700_000_000_000
const RESULT = { at: now, result: '{}' }

/** A Redis in this process, which starts to answer. */
function openFakeRedis() {
  const inner = openTestMemory()
  let mode: Mode = 'answers'
  let back: Deferred<void> = createDeferred()
  const calls: string[] = []
  const respond = async <T>(name: string, run: () => Promise<T>, how = mode): Promise<T> => {
    calls.push(name)
    if (how === 'fails') throw new Error('OOM')
    if (how === 'hangs') await back.promise
    return run()
  }
  const redis: SharedState = {
    isUp: true,
    countRequest: (query) => respond('countRequest', () => inner.countRequest(query)),
    acquire: (entry, options) => respond('acquire', () => inner.acquire(entry, options)),
    renew: (entry, token) => respond('renew', () => inner.renew(entry, token)),
    readOutcome: (entry, token) => respond('readOutcome', () => inner.readOutcome(entry, token)),
    complete: (entry, token, completion) => respond('complete', () => inner.complete(entry, token, completion)),
    close: () => inner.close(),
  }
  const set = (next: Mode): void => {
    mode = next
    back.resolve()
    back = createDeferred()
  }
  return { redis, set, calls }
}

const opened: (() => Promise<void>)[] = []

function open() {
  const fake = openFakeRedis()
  const observed: string[] = []
  const changes: string[] = []
  const state = withFallback(fake.redis, openTestMemory(), {
    observe: (operation, _, ok) => observed.push(`${operation} ${ok}`),
    onChange: (isUp, why) => changes.push(isUp ? 'up' : `down: ${(why as Error).message}`),
  })
  opened.push(async () => {
    fake.set('answers')
    await state.close()
  })
  const count = async (counter = 'a'): Promise<number> => (await state.countRequest({ counter, now, cost: 1 })).count
  return { ...fake, state, observed, changes, count }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(async () => {
  for (const end of opened.splice(0)) await end()
  // The timeouts of this thread share a timer, which ends when nothing is pending.
  await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()
})

describe('a Redis that hangs', () => {
  test('delays only the calls in progress, for 150 ms, and is used again after a probe', async () => {
    const { state, set, calls, observed, changes, count } = open()
    expect([await count(), await count()]).toEqual([1, 2])
    set('hangs')
    const counts: number[] = []
    for (let i = 0; i < 20; i++) void count().then((one) => counts.push(one))
    await vi.advanceTimersByTimeAsync(140)
    expect(counts).toEqual([])
    await vi.advanceTimersByTimeAsync(20)
    expect(counts, 'the counts of this process').toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    expect([state.isUp, changes]).toEqual([false, ['down: no answer in time']])
    const sent = calls.length
    expect(await count('b'), 'without a delay').toBe(1)
    expect(calls).toHaveLength(sent)
    set('answers')
    expect(state.isUp, 'until the probe').toBe(false)
    await vi.advanceTimersByTimeAsync(1000)
    expect([state.isUp, changes.at(-1)]).toEqual([true, 'up'])
    // A call that timed out may still take effect.
    expect(await count()).toBe(23)
    expect(observed).toEqual(['take true', 'take true', ...Array(21).fill('take false'), 'try true', 'take true'])
  })

  test('is probed once, and then whenever the probe was answered late', async () => {
    const { state, set, calls, count } = open()
    set('hangs')
    void count()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toEqual(['countRequest', 'complete'])
    set('answers')
    await vi.advanceTimersByTimeAsync(0)
    expect([calls.slice(2), state.isUp]).toEqual([['complete'], true])
  })

  test('does not delay closing', async () => {
    const { state, set, count } = open()
    set('hangs')
    const counted = count()
    await state.close()
    await vi.advanceTimersByTimeAsync(160)
    expect(await counted).toBe(1)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.isUp).toBe(false)
  })
})

describe('while Redis fails', () => {
  test('every acquisition gets the lock, nothing is cached, and no call rejects', async () => {
    const { state, set } = open()
    await state.complete('a', 'token', { outcome: '{}', result: RESULT })
    set('fails')
    const acquisitions = await Promise.all([1, 2].map(() => state.acquire('a', { fresh: false, now })))
    expect(acquisitions.map(({ role }) => role)).toEqual(['lead', 'lead'])
    expect(new Set(acquisitions.map((one) => 'token' in one && one.token)).size).toBe(2)
    expect(await state.readOutcome('a', 'token')).toBe('gone')
    await state.renew('a', 'token')
    expect(await state.countRequest({ counter: 'a', now, cost: 1, entry: 'a' })).toEqual({ count: 1, entry: null })
  })

  test('it is not up, although it answers between the probes', async () => {
    const { state, set, changes, count } = open()
    set('fails')
    for (let i = 0; i < 3; i++) {
      expect(await count()).toBe(i + 1)
      await vi.advanceTimersByTimeAsync(1000)
      expect(state.isUp).toBe(false)
    }
    set('answers')
    await vi.advanceTimersByTimeAsync(1000)
    expect(changes).toEqual(['down: OOM', 'up'])
  })

  test('completed scans are written as soon as it is back, unless more than 20 s have passed', async () => {
    const { state, set } = open()
    set('fails')
    const complete = (entry: string): Promise<void> => state.complete(entry, 'token', { outcome: '{}', result: RESULT })
    await complete('early')
    await vi.advanceTimersByTimeAsync(15_000)
    await complete('late')
    await vi.advanceTimersByTimeAsync(5000)
    set('answers')
    await vi.advanceTimersByTimeAsync(1000)
    expect(state.isUp).toBe(true)
    const isStored = async (entry: string): Promise<boolean> =>
      (await state.countRequest({ counter: 'a', now, cost: 0, entry })).entry !== null
    expect([await isStored('early'), await isStored('late')]).toEqual([false, true])
  })
})
