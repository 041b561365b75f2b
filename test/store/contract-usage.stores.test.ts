import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Charge, type Store, StoreError } from '../../src/store/types.ts'
import { findStoreKind } from './open-stores.ts'
import { readUsed } from './read-used.ts'
import { sampleKey } from './sample-key.ts'

const newKey = (): string => sampleKey().id
const noon = new Date('2026-05-17T12:00:00.000Z')
const buildCharge = (key: string, change: Partial<Charge> = {}): Charge => ({
  counter: key,
  day: '2026-05-17',
  quota: 100,
  at: noon,
  ...change,
})

const kind = findStoreKind('store-usage')
describe.skipIf(kind.isMissing).each([kind])('usage in $name', ({ openBoth }) => {
  let store: Store
  let other: Store
  beforeAll(async () => {
    ;[store, other] = await openBoth()
  })
  afterAll(async () => {
    await store?.close()
    await other?.close()
  })

  describe('charges', () => {
    test('each adds one until the quota is used up', async () => {
      const key = newKey()
      expect(await readUsed(store, key, '2026-05')).toBe(0)
      const counts = []
      for (let n = 0; n < 5; n++)
        counts.push(await (n % 2 ? store : other).usage.charge(buildCharge(key, { quota: 3 })))
      expect(counts).toEqual([1, 2, 3, null, null])
      expect(await readUsed(other, key, '2026-05')).toBe(3)
    })

    test.each([
      ['zero', 0, []],
      ['zero, after some charges', 0, [1, 2]],
      ['fewer requests than were used', 1, [1, 2]],
    ])('a quota of %s charges nothing', async (_, quota, before) => {
      const key = newKey()
      for (const count of before) expect(await store.usage.charge(buildCharge(key))).toBe(count)
      expect(await store.usage.charge(buildCharge(key, { quota, at: new Date(noon.getTime() + 1) }))).toBeNull()
      expect(await readUsed(store, key, '2026-05')).toBe(before.length)
      expect(await store.usage.lastUsed(key)).toEqual(before.length > 0 ? noon : null)
    })

    test('a larger quota allows more charges', async () => {
      const key = newKey()
      const counts = []
      for (const quota of [1, 1, 2, 2]) counts.push(await store.usage.charge(buildCharge(key, { quota })))
      expect(counts).toEqual([1, null, 2, null])
    })

    test('several together are charged completely or not at all, also next to single ones', async () => {
      const key = newKey()
      const charge = (count: number, quota = 10) => store.usage.charge(buildCharge(key, { count, quota }))
      const counts = []
      for (const count of [4, 1, 4, 2, 5, 1]) counts.push(await charge(count))
      expect(counts).toEqual([4, 5, 9, null, null, 10])
      const sizes = Array.from({ length: 30 }, (_, i) => 1 + (i % 3))
      const after = await Promise.all(sizes.map((count) => charge(count, 39)))
      const charged = sizes.reduce((sum, size, i) => sum + (after[i] === null ? 0 : size), 0)
      expect(await readUsed(other, key, '2026-05')).toBe(10 + charged)
      expect(charged).toBeGreaterThanOrEqual(27)
      expect(new Set(after.filter((count) => count !== null)).size).toBe(after.filter((count) => count !== null).length)
    })

    test.each([
      ['2025-12-31', '2025-12-31T23:59:59.999Z', '2026-01-01', '2026-01-01T00:00:00.000Z'],
      ['2028-02-29', '2028-02-29T23:59:59.999Z', '2028-03-01', '2028-03-01T00:00:00.000Z'],
      ['0001-01-31', '0001-01-31T00:00:00.000Z', '9999-12-31', '9999-12-31T23:59:59.999Z'],
    ])('months are counted separately: %s %s, %s %s', async (day, at, nextDay, next) => {
      const key = newKey()
      const [month, nextMonth] = [day.slice(0, 7), nextDay.slice(0, 7)]
      expect(await store.usage.charge(buildCharge(key, { day, at: new Date(at), quota: 1 }))).toBe(1)
      expect(await store.usage.charge(buildCharge(key, { day: nextDay, at: new Date(next), quota: 1 }))).toBe(1)
      expect(await store.usage.charge(buildCharge(key, { day, at: new Date(at), quota: 1 }))).toBeNull()
      expect(await Promise.all([month, nextMonth, '2026-07'].map((one) => readUsed(store, key, one)))).toEqual([
        1, 1, 0,
      ])
      expect(await store.usage.lastUsed(key)).toEqual(new Date(next))
      expect(await other.usage.listDays([key], month)).toEqual([{ counter: key, day, used: 1 }])
      expect(await other.usage.listDays([key], nextMonth)).toEqual([{ counter: key, day: nextDay, used: 1 }])
      const both = await other.usage.listDays([key], month, nextMonth)
      expect(both.map((row) => row.day).sort()).toEqual([day, nextDay])
    })

    test('keys are counted separately, even if one id is a prefix of another', async () => {
      const key = newKey()
      for (const one of [key, `${key}:2026-05`, `${key}:`, `${key}x`])
        expect(await store.usage.charge(buildCharge(one))).toBe(1)
      await store.usage.touch({ counter: `${key}:`, day: '2026-05-17', at: new Date(noon.getTime() + 1) })
      expect(await store.usage.lastUsed(key)).toEqual(noon)
    })

    test.each([
      '2026-05',
      '2026-5-17',
      '2026-13-17',
      '2026-00-17',
      '2026-05-00',
      '2026-05-32',
      '26-05-17',
      '2026-05-17T00:00',
      ' 2026-05-17',
      '2026-05-17\n',
      '',
      '$day',
    ])('the day %j is rejected without affecting concurrent charges', async (day) => {
      const key = newKey()
      const charges = [buildCharge(key), buildCharge(key, { day }), buildCharge(key)].map((one) =>
        store.usage.charge(one),
      )
      const [first, wrong, second] = await Promise.allSettled(charges)
      const counts = [first, second].map((one) => one.status === 'fulfilled' && one.value)
      expect(counts.sort()).toEqual([1, 2])
      expect(wrong.status === 'rejected' && wrong.reason).toBeInstanceOf(Error)
      expect(wrong.status === 'rejected' && wrong.reason).not.toBeInstanceOf(StoreError)
      expect(await readUsed(other, key, '2026-05')).toBe(2)
    })

    test('no charge is lost when 300 keys get their first 8 charges of a month concurrently', async () => {
      const keys = Array.from({ length: 300 }, newKey)
      const both = [store, other]
      const all = keys.map((key) =>
        Promise.all(Array.from({ length: 8 }, (_, n) => both[n % 2].usage.charge(buildCharge(key)))),
      )
      const counts = (await Promise.all(all)).map((one) => one.sort())
      expect(counts.filter((one) => one.join() !== '1,2,3,4,5,6,7,8')).toEqual([])
      const used = await Promise.all(keys.map((key) => readUsed(other, key, '2026-05')))
      expect(used.filter((one) => one !== 8)).toEqual([])
    })

    test('a quota of 1,000 allows exactly 1,000 of 3,000 concurrent charges', async () => {
      const key = newKey()
      const all = Array.from({ length: 3000 }, (_, n) =>
        (n % 2 ? store : other).usage.charge(buildCharge(key, { quota: 1000 })),
      )
      const counts = (await Promise.all(all)).filter((count) => count !== null)
      expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, n) => n + 1))
      expect(await readUsed(store, key, '2026-05')).toBe(1000)
    })
  })

  describe('days and months', () => {
    test('are listed for several keys, without those of others', async () => {
      const [a, b, foreign] = [newKey(), newKey(), newKey()]
      for (const [key, day, count] of [
        [a, '2026-04-30', 1],
        [a, '2026-05-01', 2],
        [a, '2026-05-31', 3],
        [b, '2026-05-01', 4],
        [b, '2026-06-01', 5],
        [foreign, '2026-05-01', 6],
      ] as const)
        for (let n = 0; n < count; n++) await (n % 2 ? store : other).usage.charge(buildCharge(key, { day }))
      await store.usage.touch({ counter: b, day: '2026-07-02', at: noon })
      const days = [...(await other.usage.listDays([a, b], '2026-05'))]
      expect(days.sort((one, two) => `${one.day}${one.used}`.localeCompare(`${two.day}${two.used}`))).toEqual([
        { counter: a, day: '2026-05-01', used: 2 },
        { counter: b, day: '2026-05-01', used: 4 },
        { counter: a, day: '2026-05-31', used: 3 },
      ])
      const months = [...(await other.usage.listMonths([a, b], '2026-05'))]
      expect(months.sort((one, two) => one.month.localeCompare(two.month) || one.used - two.used)).toEqual([
        { counter: b, month: '2026-05', used: 4, lastUsedAt: noon },
        { counter: a, month: '2026-05', used: 5, lastUsedAt: noon },
        { counter: b, month: '2026-06', used: 5, lastUsedAt: noon },
        { counter: b, month: '2026-07', used: 0, lastUsedAt: noon },
      ])
      expect([await store.usage.listDays([], '2026-05'), await store.usage.listMonths([], '0000-01')]).toEqual([[], []])
      expect(await store.usage.listDays([b], '2026-07'), 'a touch charges nothing').toEqual([])
    })

    test('a month lists all its keys, also those that only touched', async () => {
      const [a, b, c] = [newKey(), newKey(), newKey()]
      await store.usage.charge(buildCharge(a, { day: '2031-02-03' }))
      await other.usage.charge(buildCharge(a, { day: '2031-02-04' }))
      await store.usage.touch({ counter: b, day: '2031-02-28', at: noon })
      await store.usage.charge(buildCharge(c, { day: '2031-03-01' }))
      const rows = [...(await other.usage.listMonth('2031-02'))].sort((one, two) => two.used - one.used)
      expect(rows).toEqual([
        { counter: a, month: '2031-02', used: 2, lastUsedAt: noon },
        { counter: b, month: '2031-02', used: 0, lastUsedAt: noon },
      ])
      expect(await store.usage.listMonth('2031-04')).toEqual([])
    })

    test('charges of two days in one turn of the event loop share the quota of the month', async () => {
      const key = newKey()
      const days = Array.from({ length: 60 }, (_, n) => `2026-05-${n % 3 === 0 ? '16' : '17'}`)
      const all = days.map((day, n) => (n % 2 ? store : other).usage.charge(buildCharge(key, { day, quota: 50 })))
      const counts = (await Promise.all(all)).filter((count) => count !== null)
      expect(counts.sort((one, two) => one - two)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
      expect(await readUsed(other, key, '2026-05')).toBe(50)
      expect(await store.usage.charge(buildCharge(key, { day: '2026-05-18', quota: 50 }))).toBeNull()
      expect((await store.usage.listDays([key], '2026-05')).map(({ day }) => day)).not.toContain('2026-05-18')
    })
  })

  describe('last use', () => {
    test('a touch records the time, is not charged, and returns the number of charged requests', async () => {
      const key = newKey()
      const touch = (timeMs: number) =>
        store.usage.touch({ counter: key, day: '2026-05-17', at: new Date(noon.getTime() + timeMs) })
      expect(await touch(0)).toBe(0)
      expect(await other.usage.lastUsed(key)).toEqual(noon)
      expect(await store.usage.charge(buildCharge(key, { quota: 1, at: new Date(noon.getTime() + 1) }))).toBe(1)
      expect(await touch(2)).toBe(1)
      expect(await readUsed(store, key, '2026-05')).toBe(1)
      expect(await other.usage.lastUsed(key)).toEqual(new Date(noon.getTime() + 2))
    })

    test('the later time is kept when a clock steps back', async () => {
      const key = newKey()
      for (const at of [noon, new Date(noon.getTime() - 1)]) {
        await store.usage.charge(buildCharge(key, { at }))
        await store.usage.touch({ counter: key, day: '2026-05-17', at })
      }
      await store.usage.touch({ counter: key, day: '2026-06-01', at: new Date(noon.getTime() - 2) })
      expect(await store.usage.lastUsed(key)).toEqual(noon)
    })

    test('concurrent first touches of a month all succeed', async () => {
      const keys = Array.from({ length: 50 }, newKey)
      const both = [store, other]
      const use = { day: '2026-06-01', at: noon }
      const all = keys.flatMap((key) =>
        Array.from({ length: 8 }, (_, n) => both[n % 2].usage.touch({ counter: key, ...use })),
      )
      expect(new Set(await Promise.all(all))).toEqual(new Set([0]))
    })
  })
})
