import { describe, expect, test } from 'vitest'
import { openMemory } from '../../src/coordination/memory.ts'
import type { SharedState } from '../../src/coordination/types.ts'

const now = 1_700_000_000_000
const MILLION = 1_000_000
const land = (state: SharedState, entry: string, result: string): Promise<void> =>
  state.land(entry, 'token', { outcome: '{}', result: { at: now, result } })
const isKept = async (state: SharedState, entry: string): Promise<boolean> =>
  (await state.take({ counter: 'a', now, cost: 0, entry })).entry !== null

describe('memory', () => {
  test('of a million addresses the last 100,000 are counted', async () => {
    const state = openMemory({ maxBytes: 1000 })
    for (let i = 0; i < MILLION; i++) await state.take({ counter: `${i}`, now, cost: 1 })
    let counted = 0
    for (let i = 0; i < MILLION; i++) counted += (await state.take({ counter: `${i}`, now, cost: 0 })).count
    expect(counted).toBe(100_000)
    expect((await state.take({ counter: `${MILLION - 1}`, now, cost: 1 })).count).toBe(2)
  })

  test('who keeps asking is not pushed out by others', async () => {
    const state = openMemory({ maxBytes: 1000 })
    let count = 0
    for (let i = 0; i < 3 * 99_000; i++) {
      if (i % 50_000 === 0) count = (await state.take({ counter: 'key', now, cost: 1 })).count
      await state.take({ counter: `${i}`, now, cost: 1 })
    }
    expect(count).toBe(6)
  })

  test('of a million results as many are kept as the bytes allow', async () => {
    const maxBytes = 10 * 1024 * 1024
    const state = openMemory({ maxBytes })
    const result = 'x'.repeat(1000)
    for (let i = 0; i < MILLION; i++) await land(state, `entry ${i}`, result)
    let kept = 0
    for (let i = 0; i < MILLION; i++) kept += Number(await isKept(state, `entry ${i}`))
    expect(kept).toBeGreaterThan(3000)
    expect(kept * 2 * result.length).toBeLessThan(maxBytes)
    expect(await isKept(state, `entry ${MILLION - 1}`)).toBe(true)
  })

  test('a result that is larger than all bytes is not kept and pushes nothing out', async () => {
    const state = openMemory({ maxBytes: 10_000 })
    await land(state, 'small', 'x')
    await land(state, 'large', 'x'.repeat(5000))
    expect([await isKept(state, 'small'), await isKept(state, 'large')]).toEqual([true, false])
  })

  test('everybody leads, with a token of its own', async () => {
    const state = openMemory({ maxBytes: 10_000 })
    const boardings = await Promise.all([1, 2].map(() => state.board('a', { fresh: false, now })))
    expect(boardings.map(({ role }) => role)).toEqual(['lead', 'lead'])
    expect(new Set(boardings.map((boarding) => 'token' in boarding && boarding.token)).size).toBe(2)
    expect(await state.outcomeOf('a', 'any')).toBe('gone')
  })

  test.each([0, -1, 1.5, Number.NaN])('maxBytes %d is refused', (maxBytes) => {
    expect(() => openMemory({ maxBytes })).toThrow(TypeError)
  })
})
