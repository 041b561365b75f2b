import { nanoid } from 'nanoid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CACHE_MS, MAX_ENTRY_BYTES, type SharedState, type Take } from '../../src/coordination/types.ts'
import { redisUrl } from '../support/services.ts'
import { MINUTE, stateInMemory, statesOnRedis } from './open-coordinations.ts'

const url = redisUrl('shared state on Redis')
const memory: [string, () => Promise<SharedState>] = ['memory', async () => stateInMemory()]

/** Milliseconds after MINUTE, cost. */
type Step = readonly [number, 0 | 1]
const MINUTES: readonly [name: string, steps: readonly Step[], counts: readonly number[]][] = [
  [
    'the first millisecond and the last are of one minute',
    [
      [0, 1],
      [59_999, 1],
    ],
    [1, 2],
  ],
  [
    'the next begins at its first millisecond',
    [
      [59_999, 1],
      [60_000, 1],
    ],
    [1, 1],
  ],
  [
    'cost 0 reads and changes nothing',
    [
      [0, 0],
      [0, 1],
      [0, 0],
      [0, 0],
      [0, 1],
    ],
    [0, 1, 1, 1, 2],
  ],
  [
    'a clock that steps back finds its minute again',
    [
      [0, 1],
      [60_000, 1],
      [0, 1],
      [60_000, 0],
    ],
    [1, 1, 2, 1],
  ],
  [
    'a minute before is another',
    [
      [0, 1],
      [-1, 1],
      [-60_000, 1],
      [-60_001, 1],
    ],
    [1, 1, 2, 1],
  ],
]

describe.each([memory, ...(url === null ? [] : statesOnRedis(url))])('%s', (_, open) => {
  let state: SharedState
  beforeAll(async () => {
    state = await open()
  })
  afterAll(() => state.close())
  const take = (counter: string, [after, cost]: Step) => state.take({ counter, now: MINUTE + after, cost })

  test('is up', () => expect(state.isUp).toBe(true))

  describe('minutes', () => {
    test.each(MINUTES)('%s', async (_, steps, expected) => {
      const counter = nanoid()
      const counts: number[] = []
      for (const step of steps) counts.push((await take(counter, step)).count)
      expect(counts).toEqual(expected)
    })

    test.each(['key_1', '2001:db8::/64', '', 'a b\n', 'é😀\0', 'x'.repeat(1000)])('counter %j', async (name) => {
      const counter = `${nanoid()}${name}`
      const all = await Promise.all([counter, `${counter}:`, counter].map((of) => take(of, [0, 1])))
      expect(all.map(({ count }) => count)).toEqual([1, 1, 2])
    })

    test('of 5,000 at once against 60 exactly 60 come through', async () => {
      const counter = nanoid()
      const taken = await Promise.all(
        Array.from({ length: 5000 }, () => state.take({ counter, now: MINUTE, cost: 1, entry: counter })),
      )
      expect(taken.filter(({ count }) => count <= 60)).toHaveLength(60)
      expect(new Set(taken.map(({ count }) => count)).size).toBe(5000)
      expect((await state.take({ counter, now: MINUTE, cost: 0 })).count).toBe(5000)
    })
  })

  describe('results', () => {
    const land = (entry: string, result: { at: number; result: string; extras?: string } | null): Promise<void> =>
      state.land(entry, nanoid(), { outcome: '{}', result })
    const look = async (entry: string, more: Partial<Take> = {}) =>
      (await state.take({ counter: 'looks', now: MINUTE, cost: 0, entry, ...more })).entry
    const kept = { at: MINUTE, result: '{"url":null}', extras: '{"timing":{}}' }

    test('hit, miss, and extras only where they are wanted', async () => {
      const entry = nanoid()
      expect(await look(entry)).toBeNull()
      await land(entry, kept)
      expect(await look(entry)).toEqual({ at: kept.at, result: kept.result })
      expect(await look(entry, { extras: true })).toEqual(kept)
      expect(await look(`${entry}x`)).toBeNull()
      const { at, result } = kept
      await land(entry, { at, result })
      expect(await look(entry, { extras: true })).toEqual({ at, result })
      await land(entry, null)
      expect(await look(entry)).not.toBeNull()
    })

    test.each([
      ['at once', 0, true],
      ['in its last millisecond', CACHE_MS - 1, true],
      ['after exactly an hour', CACHE_MS, false],
      ['later', CACHE_MS + 1, false],
      ['by a clock that went back', -90_000, true],
    ])('%s', async (_, after, expected) => {
      const entry = nanoid()
      await land(entry, kept)
      const now = MINUTE + after
      expect((await look(entry, { now })) !== null).toBe(expected)
      await land(entry, kept)
      expect((await state.board(entry, { fresh: false, now })).role).toBe(expected ? 'done' : 'lead')
    })

    test.each([
      ['NUL', '"a\0b"'],
      ['characters beyond the first plane', '"😀𝒳"'],
      ['line ends', '"\r\n$3\r\nfoo\r\n"'],
      ['nothing', ''],
      ['as much as is cached', 'é'.repeat(MAX_ENTRY_BYTES / 4)],
    ])('keeps %s', async (name, text) => {
      const entry = `${nanoid()} ${name}`
      await land(entry, { at: MINUTE, result: text, extras: text })
      expect(await look(entry, { extras: true })).toEqual({ at: MINUTE, result: text, extras: text })
    })

    test('done carries all; who wants it fresh leads', async () => {
      const entry = nanoid()
      await land(entry, kept)
      expect(await state.board(entry, { fresh: false, now: MINUTE })).toEqual({ role: 'done', entry: kept })
      expect((await state.board(entry, { fresh: true, now: MINUTE })).role).toBe('lead')
    })

    test('count and look-up come in one', async () => {
      const entry = nanoid()
      await land(entry, kept)
      const { at, result } = kept
      const takes = [entry, undefined, `${entry}-`, entry].map((of, i) =>
        state.take({ counter: entry, now: MINUTE, cost: i === 1 ? 0 : 1, entry: of, extras: i === 3 }),
      )
      expect(await Promise.all(takes)).toEqual([
        { count: 1, entry: { at, result } },
        { count: 1, entry: null },
        { count: 2, entry: null },
        { count: 3, entry: kept },
      ])
    })
  })
})
