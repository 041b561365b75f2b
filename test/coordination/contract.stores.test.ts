import { nanoid } from 'nanoid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CACHE_MS, type LimitQuery, MAX_ENTRY_BYTES, type SharedState } from '../../src/coordination/types.ts'
import { findStates, nextMinute } from './open-coordinations.ts'

const MINUTE = nextMinute()

const { isMissing, states } = await findStates('shared state on Redis')

/** Milliseconds after MINUTE, and the cost. */
type Step = readonly [number, 0 | 1]
const WINDOWS: readonly [name: string, steps: readonly Step[], counts: readonly number[]][] = [
  [
    'the first and the last millisecond of a minute share a window',
    [
      [0, 1],
      [59_999, 1],
    ],
    [1, 2],
  ],
  [
    'the next window begins with the first millisecond of the next minute',
    [
      [59_999, 1],
      [60_000, 1],
    ],
    [1, 1],
  ],
  [
    'cost 0 reads the count without changing it',
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
    'a clock that steps back continues the earlier window',
    [
      [0, 1],
      [60_000, 1],
      [0, 1],
      [60_000, 0],
    ],
    [1, 1, 2, 1],
  ],
  [
    'earlier minutes have windows of their own',
    [
      [0, 1],
      [-1, 1],
      [-60_000, 1],
      [-60_001, 1],
    ],
    [1, 1, 2, 1],
  ],
]

describe.skipIf(isMissing).each(states)('%s', (_, open) => {
  let state: SharedState
  beforeAll(async () => {
    state = await open()
  })
  afterAll(() => state.close())
  const countRequest = (counter: string, [after, cost]: Step) =>
    state.countRequest({ counter, now: MINUTE + after, cost })

  test('is up', () => expect(state.isUp).toBe(true))

  describe('rate-limit windows', () => {
    test.each(WINDOWS)('%s', async (_, steps, expected) => {
      const counter = nanoid()
      const counts: number[] = []
      for (const step of steps) counts.push((await countRequest(counter, step)).count)
      expect(counts).toEqual(expected)
    })

    test('days are windows of their own, and begin at midnight (UTC)', async () => {
      const counter = nanoid()
      const day = Math.ceil(MINUTE / 86_400_000) * 86_400_000
      const count = async (now: number, window: 'minute' | 'day', cost: 0 | 1 = 1): Promise<number> =>
        (await state.countRequest({ counter, now, window, cost, entry: counter })).count
      expect([await count(day, 'day'), await count(day, 'minute'), await count(day + 60_000, 'minute')]).toEqual([
        1, 1, 1,
      ])
      expect([await count(day + 86_399_999, 'day'), await count(day + 86_400_000, 'day')]).toEqual([2, 1])
      expect([await count(day - 1, 'day'), await count(day, 'day', 0)]).toEqual([1, 2])
    })

    test.each(['key_1', '2001:db8::/64', '', 'a b\n', 'é😀\0', 'x'.repeat(1000)])('counter %j', async (name) => {
      const counter = `${nanoid()}${name}`
      const all = await Promise.all([counter, `${counter}:`, counter].map((of) => countRequest(of, [0, 1])))
      expect(all.map(({ count }) => count)).toEqual([1, 1, 2])
    })

    test('5,000 concurrent requests get 5,000 different counts, 60 of them up to 60', async () => {
      const counter = nanoid()
      const results = await Promise.all(
        Array.from({ length: 5000 }, () => state.countRequest({ counter, now: MINUTE, cost: 1, entry: counter })),
      )
      expect(results.filter(({ count }) => count <= 60)).toHaveLength(60)
      expect(new Set(results.map(({ count }) => count)).size).toBe(5000)
      expect((await state.countRequest({ counter, now: MINUTE, cost: 0 })).count).toBe(5000)
    })
  })

  describe('results', () => {
    const complete = (entry: string, result: { at: number; result: string; extras?: string } | null): Promise<void> =>
      state.complete(entry, nanoid(), { outcome: '{}', result })
    const lookUp = async (entry: string, more: Partial<LimitQuery> = {}) =>
      (await state.countRequest({ counter: 'lookups', now: MINUTE, cost: 0, entry, ...more })).entry
    const stored = { at: MINUTE, result: '{"url":null}', extras: '{"timing":{}}' }

    test('a lookup hits or misses, and returns extras only on request', async () => {
      const entry = nanoid()
      expect(await lookUp(entry)).toBeNull()
      await complete(entry, stored)
      expect(await lookUp(entry)).toEqual({ at: stored.at, result: stored.result })
      expect(await lookUp(entry, { extras: true })).toEqual(stored)
      expect(await lookUp(`${entry}x`)).toBeNull()
      const later = { at: stored.at + 1, result: stored.result }
      await complete(entry, later)
      expect(await lookUp(entry, { extras: true })).toEqual(later)
      await complete(entry, null)
      expect(await lookUp(entry)).not.toBeNull()
    })

    test.each([
      ['immediately', 0, true],
      ['in the last millisecond of its hour', CACHE_MS - 1, true],
      ['exactly an hour later', CACHE_MS, false],
      ['even later', CACHE_MS + 1, false],
      ['with a clock that stepped back', -90_000, true],
    ])('whether a result is served %s', async (_, after, expected) => {
      const entry = nanoid()
      await complete(entry, stored)
      const now = MINUTE + after
      expect((await lookUp(entry, { now })) !== null).toBe(expected)
      await complete(entry, stored)
      expect((await state.acquire(entry, { fresh: false, now })).role).toBe(expected ? 'done' : 'lead')
    })

    test.each([
      ['in its last millisecond', 299_999, true],
      ['afterwards', 300_000, false],
    ])('whether a result with a life of 5 minutes is served %s', async (_, after, expected) => {
      const entry = nanoid()
      const short = { ...stored, lifeMs: 300_000 }
      await complete(entry, short)
      const now = MINUTE + after
      expect((await lookUp(entry, { now })) !== null).toBe(expected)
      const role = expected ? { role: 'done', entry: short } : { role: 'lead' }
      expect(await state.acquire(entry, { fresh: false, now })).toMatchObject(role)
    })

    test.each([
      ['NUL', '"a\0b"'],
      ['characters outside the Basic Multilingual Plane', '"😀𝒳"'],
      ['line breaks', '"\r\n$3\r\nfoo\r\n"'],
      ['an empty text', ''],
      ['an entry of the maximum size', 'é'.repeat(MAX_ENTRY_BYTES / 4)],
    ])('stores %s', async (name, text) => {
      const entry = `${nanoid()} ${name}`
      await complete(entry, { at: MINUTE, result: text, extras: text })
      expect(await lookUp(entry, { extras: true })).toEqual({ at: MINUTE, result: text, extras: text })
    })

    test('`done` includes the extras, and a fresh scan gets the lock instead', async () => {
      const entry = nanoid()
      await complete(entry, stored)
      expect(await state.acquire(entry, { fresh: false, now: MINUTE })).toEqual({ role: 'done', entry: stored })
      expect((await state.acquire(entry, { fresh: true, now: MINUTE })).role).toBe('lead')
    })

    test('one call counts and looks up', async () => {
      const entry = nanoid()
      await complete(entry, stored)
      const { at, result } = stored
      const queries = [entry, undefined, `${entry}-`, entry].map((of, i) =>
        state.countRequest({ counter: entry, now: MINUTE, cost: i === 1 ? 0 : 1, entry: of, extras: i === 3 }),
      )
      expect(await Promise.all(queries)).toEqual([
        { count: 1, entry: { at, result } },
        { count: 1, entry: null },
        { count: 2, entry: null },
        { count: 3, entry: stored },
      ])
    })
  })
})
