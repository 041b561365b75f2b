import { nanoid } from 'nanoid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CacheEntry, MAX_ENTRY_BYTES, type SharedState } from '../../src/coordination/types.ts'
import { redisUrl } from '../support/services.ts'
import { MINUTE, stateInMemory, statesOnRedis } from './open-coordinations.ts'

const url = redisUrl('size of cache entries')
const states: [string, () => Promise<SharedState>][] = [
  ['memory', async () => stateInMemory()],
  ...(url === null ? [] : statesOnRedis(url)),
]

/** An entry of so many bytes. */
const entryOf = (bytes: number, letter = 'x'): CacheEntry => {
  const count = Math.floor((bytes - 10) / Buffer.byteLength(letter))
  return { at: MINUTE, result: 'r'.repeat(10), extras: letter.repeat(count) }
}

describe.each(states)('the size of an entry on %s', (name, open) => {
  let state: SharedState
  beforeAll(async () => {
    state = await open()
  })
  afterAll(() => state.close())

  test.each<[what: string, entry: CacheEntry, isKept: boolean]>([
    ['as large as may be', entryOf(MAX_ENTRY_BYTES), true],
    ['one byte larger', entryOf(MAX_ENTRY_BYTES + 1), false],
    ['few characters of many bytes', entryOf(MAX_ENTRY_BYTES + 3, '€'), false],
    ['a result of 4 MB', { at: MINUTE, result: 'x'.repeat(4_000_000) }, false],
  ])('%s', async (_, result, isKept) => {
    const key = nanoid()
    const led = await state.board(key, { fresh: false, now: MINUTE })
    const token = led.role === 'lead' ? led.token : ''
    await state.land(key, token, { outcome: JSON.stringify({ entry: result }), result })
    const { entry } = await state.take({ counter: nanoid(), now: MINUTE, cost: 0, entry: key, extras: true })
    expect(entry).toEqual(isKept ? result : null)
    if (name === 'memory') return // No other node asks it for an outcome.
    expect(await state.outcomeOf(key, token)).toBe(isKept ? JSON.stringify({ entry: result }) : 'gone')
    expect((await state.board(key, { fresh: false, now: MINUTE })).role).toBe(isKept ? 'done' : 'lead')
  })
})
