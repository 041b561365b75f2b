import { nanoid } from 'nanoid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CacheEntry, MAX_ENTRY_BYTES, type SharedState } from '../../src/coordination/types.ts'
import { findStates, nextMinute } from './open-coordinations.ts'

const MINUTE = nextMinute()

const { isMissing, states } = await findStates('size of cache entries')

/** Builds an entry with this number of bytes. */
const buildEntry = (bytes: number, letter = 'x'): CacheEntry => {
  const count = Math.floor((bytes - 10) / Buffer.byteLength(letter))
  return { at: MINUTE, result: 'r'.repeat(10), extras: letter.repeat(count) }
}

describe.skipIf(isMissing).each(states)('the size of an entry on %s', (name, open) => {
  let state: SharedState
  beforeAll(async () => {
    state = await open()
  })
  afterAll(() => state.close())

  test.each<[what: string, entry: CacheEntry, isStored: boolean]>([
    ['exactly at the limit', buildEntry(MAX_ENTRY_BYTES), true],
    ['one byte larger', buildEntry(MAX_ENTRY_BYTES + 1), false],
    ['few characters that take many bytes', buildEntry(MAX_ENTRY_BYTES + 3, '€'), false],
    ['a result of 4 MB', { at: MINUTE, result: 'x'.repeat(4_000_000) }, false],
  ])('%s', async (_, result, isStored) => {
    const key = nanoid()
    const acquisition = await state.acquire(key, { fresh: false, now: MINUTE })
    const token = acquisition.role === 'lead' ? acquisition.token : ''
    await state.complete(key, token, { outcome: JSON.stringify({ entry: result }), result })
    const { entry } = await state.countRequest({ counter: nanoid(), now: MINUTE, cost: 0, entry: key, extras: true })
    expect(entry).toEqual(isStored ? result : null)
    if (name === 'memory') return // No other node reads its outcomes.
    expect(await state.readOutcome(key, token)).toBe(isStored ? JSON.stringify({ entry: result }) : 'gone')
    expect((await state.acquire(key, { fresh: false, now: MINUTE })).role).toBe(isStored ? 'done' : 'lead')
  })
})
