import { expect, test } from 'vitest'
import { planSlots, type SlottedKey } from '../../src/store/plan-slots.ts'

const at = (day: number): Date => new Date(Date.UTC(2026, 4, day))

/** A key that was in use from one day of May to another, or still is. */
function buildKey(id: string, [from, until]: readonly [number, number?], change: Partial<SlottedKey> = {}): SlottedKey {
  return {
    id,
    slot: null,
    counter: null,
    createdAt: at(from),
    revokedAt: until === undefined ? null : at(until),
    ...change,
  }
}

type Planned = readonly [key: string, slot: number, counter: string]

test.each<[string, readonly SlottedKey[], readonly Planned[]]>([
  ['no keys', [], []],
  ['one active key', [buildKey('a', [1], { slot: 0 })], [['a', 0, 'a']]],
  ['one revoked key', [buildKey('a', [1, 2])], [['a', 0, 'a']]],
  [
    'a key that was replaced twice',
    [buildKey('a', [1, 2]), buildKey('b', [2, 3]), buildKey('c', [4], { slot: 0 })],
    [
      ['c', 0, 'c'],
      ['a', 0, 'c'],
      ['b', 0, 'c'],
    ],
  ],
  [
    'a revoked key next to an active one',
    [buildKey('a', [1], { slot: 0 }), buildKey('b', [2, 3]), buildKey('c', [4, 5])],
    [
      ['a', 0, 'a'],
      ['b', 1, 'b'],
      ['c', 1, 'b'],
    ],
  ],
  [
    'revoked keys at the same time',
    [buildKey('a', [1, 5]), buildKey('b', [2, 3]), buildKey('c', [2, 6]), buildKey('d', [4, 7])],
    [
      ['a', 0, 'a'],
      ['b', 1, 'b'],
      ['c', 2, 'c'],
      ['d', 1, 'b'],
    ],
  ],
  [
    'an active key in a high slot',
    [buildKey('a', [1], { slot: 2 }), buildKey('b', [1, 3])],
    [
      ['a', 2, 'a'],
      ['b', 0, 'b'],
    ],
  ],
  [
    'an active key whose account had no free slot below',
    [buildKey('a', [3], { slot: 0 }), buildKey('b', [1, 4]), buildKey('c', [4], { slot: 1 })],
    [
      ['a', 0, 'a'],
      ['c', 1, 'c'],
      ['b', 1, 'c'],
    ],
  ],
  ['a key that was revoked without leaving its slot', [buildKey('a', [1, 2], { slot: 3 })], [['a', 3, 'a']]],
  ['keys that have a counter', [buildKey('a', [1], { slot: 0, counter: 'a' })], []],
])('%s', (_, keys, wanted) => {
  expect(planSlots(keys, []).map(({ key, slot, counter }) => [key, slot, counter])).toEqual(wanted)
})

test('keys without a counter take slots next to those that have one, and continue counters', () => {
  const slots = [
    { slot: 0, counter: 'first' },
    { slot: 1, counter: 'second' },
  ]
  const keys = [
    buildKey('a', [1, 9], { counter: 'first' }),
    buildKey('b', [2, 3]),
    buildKey('c', [9, 10]),
    buildKey('d', [5], { slot: 2 }),
  ]
  expect(planSlots(keys, slots).map(({ key, slot, counter }) => [key, slot, counter])).toEqual([
    ['d', 2, 'd'],
    ['b', 1, 'second'],
    ['c', 0, 'first'],
  ])
})
