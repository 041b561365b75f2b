import { describe, expect, test } from 'vitest'
import { openMemory } from '../../src/coordination/memory.ts'
import type { SharedState } from '../../src/coordination/types.ts'

const now = 1_700_000_000_000
/** Six times as many results as are kept. */
const MANY_RESULTS = 3000
const complete = (state: SharedState, entry: string, result: string): Promise<void> =>
  state.complete(entry, 'token', { outcome: '{}', result: { at: now, result } })
const isStored = async (state: SharedState, entry: string): Promise<boolean> =>
  (await state.countRequest({ counter: 'a', now, cost: 0, entry })).entry !== null

describe('memory', () => {
  test('of more than 100,000 addresses, those that were seen last are counted', async () => {
    const state = openMemory({ maxBytes: 1000 })
    const count = async (counter: string, cost: 0 | 1): Promise<number> =>
      (await state.countRequest({ counter, now, cost })).count
    await count('in steady use', 1)
    for (let i = 0; i < 100_050; i++) {
      await count(`${i}`, 1)
      if (i === 50_000) await count('in steady use', 1)
    }
    const counts = await Promise.all(Array.from({ length: 100 }, (_, i) => count(`${i}`, 0)))
    // One of the 100,000 counters is that in steady use.
    expect(counts).toEqual([...Array(51).fill(0), ...Array(49).fill(1)])
    expect(await count('100049', 1)).toBe(2)
    expect(await count('in steady use', 1), 'others do not evict it').toBe(3)
  })

  test('of 3,000 results, only as many are stored as fit into maxBytes', async () => {
    const maxBytes = 1024 * 1024
    const state = openMemory({ maxBytes })
    const result = 'x'.repeat(1000)
    for (let i = 0; i < MANY_RESULTS; i++) await complete(state, `entry ${i}`, result)
    let stored = 0
    for (let i = 0; i < MANY_RESULTS; i++) stored += Number(await isStored(state, `entry ${i}`))
    expect(stored).toBeGreaterThan(300)
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
