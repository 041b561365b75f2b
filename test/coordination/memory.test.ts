import { describe, expect, test } from 'vitest'
import { openMemory } from '../../src/coordination/memory.ts'
import type { SharedState } from '../../src/coordination/types.ts'

const now = 1_700_000_000_000
/** One and a half times as many counters as are kept. */
const MANY_COUNTERS = 150_000
/** Six times as many results as are kept. */
const MANY_RESULTS = 30_000
const complete = (state: SharedState, entry: string, result: string): Promise<void> =>
  state.complete(entry, 'token', { outcome: '{}', result: { at: now, result } })
const isStored = async (state: SharedState, entry: string): Promise<boolean> =>
  (await state.countRequest({ counter: 'a', now, cost: 0, entry })).entry !== null

describe('memory', () => {
  test('of 150,000 addresses, the last 100,000 are counted', async () => {
    const state = openMemory({ maxBytes: 1000 })
    for (let i = 0; i < MANY_COUNTERS; i++) await state.countRequest({ counter: `${i}`, now, cost: 1 })
    let counted = 0
    for (let i = 0; i < MANY_COUNTERS; i++)
      counted += (await state.countRequest({ counter: `${i}`, now, cost: 0 })).count
    expect(counted).toBe(100_000)
    expect((await state.countRequest({ counter: `${MANY_COUNTERS - 1}`, now, cost: 1 })).count).toBe(2)
  })

  test('a counter in steady use is not evicted by others', async () => {
    const state = openMemory({ maxBytes: 1000 })
    let count = 0
    for (let i = 0; i < 3 * 99_000; i++) {
      if (i % 50_000 === 0) count = (await state.countRequest({ counter: 'key', now, cost: 1 })).count
      await state.countRequest({ counter: `${i}`, now, cost: 1 })
    }
    expect(count).toBe(6)
  })

  test('of 30,000 results, only as many are stored as fit into maxBytes', async () => {
    const maxBytes = 10 * 1024 * 1024
    const state = openMemory({ maxBytes })
    const result = 'x'.repeat(1000)
    for (let i = 0; i < MANY_RESULTS; i++) await complete(state, `entry ${i}`, result)
    let stored = 0
    for (let i = 0; i < MANY_RESULTS; i++) stored += Number(await isStored(state, `entry ${i}`))
    expect(stored).toBeGreaterThan(3000)
    expect(stored * 2 * result.length).toBeLessThan(maxBytes)
    expect(await isStored(state, `entry ${MANY_RESULTS - 1}`)).toBe(true)
  })

  test('a result larger than maxBytes is not stored and evicts nothing', async () => {
    const state = openMemory({ maxBytes: 10_000 })
    await complete(state, 'small', 'x')
    await complete(state, 'large', 'x'.repeat(5000))
    expect([await isStored(state, 'small'), await isStored(state, 'large')]).toEqual([true, false])
  })

  test('every acquisition gets the lock, with a token of its own', async () => {
    const state = openMemory({ maxBytes: 10_000 })
    const acquisitions = await Promise.all([1, 2].map(() => state.acquire('a', { fresh: false, now })))
    expect(acquisitions.map(({ role }) => role)).toEqual(['lead', 'lead'])
    expect(new Set(acquisitions.map((one) => 'token' in one && one.token)).size).toBe(2)
    expect(await state.readOutcome('a', 'any')).toBe('gone')
  })

  test.each([0, -1, 1.5, Number.NaN])('maxBytes %d is rejected', (maxBytes) => {
    expect(() => openMemory({ maxBytes })).toThrow(TypeError)
  })
})
