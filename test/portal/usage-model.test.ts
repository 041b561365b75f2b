import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadPlans } from '../../src/keys/plans.ts'
import { listLastMonths, listPastDays } from '../../src/portal/months.ts'
import { buildUsage, findFirstMonth, listKeyUsage, MONTHS_SHOWN } from '../../src/portal/usage.ts'
import { accountKey, dayRow, monthRow, slotsOf } from './usage-rows.ts'

const NOW = Date.UTC(2026, 10, 22, 7)
const plans = loadPlans()
const total = (all: readonly { readonly used: number }[]): number => all.reduce((sum, { used }) => sum + used, 0)

describe('an example', () => {
  const first = accountKey({ name: 'First', plan: 'free' })
  const second = accountKey({ name: 'Second', plan: 'free' })
  const revoked = accountKey({ name: 'Revoked', plan: 'free', revokedAt: new Date(NOW) })
  const unused = accountKey({ name: 'Unused', plan: 'free', revokedAt: new Date(NOW) })
  const keys = [first, second, revoked, unused]
  const slots = slotsOf(...keys)
  const months = [
    monthRow(first, '2026-11', 100, new Date('2026-11-21T10:00:00Z')),
    monthRow(second, '2026-11', 5),
    monthRow(revoked, '2026-11', 7),
    monthRow(first, '2026-10', 40),
    monthRow(second, '2025-12', 9),
    monthRow(second, '2025-11', 1000),
  ]
  const days = [dayRow(first, '2026-11-20', 60), dayRow(first, '2026-11-21', 40), dayRow(revoked, '2026-11-20', 7)]
  const report = buildUsage({ keys, slots, months, days }, { month: '2026-11', now: NOW, plans })

  test('all slots together', () => {
    expect(report).toMatchObject({ used: 112, unrecorded: 5, isCurrent: true })
    expect(report.days.filter(({ used }) => used > 0)).toEqual([
      { span: '2026-11-20', used: 67 },
      { span: '2026-11-21', used: 40 },
    ])
    expect(report.quota).toEqual({
      keys: 2,
      limit: 200,
      left: 95,
      used: 112,
      resetAt: new Date('2026-12-01T00:00:00Z'),
    })
  })

  test('per slot, without slots that have no key and were not used in the month', () => {
    expect(report.slots.map(({ slot, keys, used, left }) => [slot, keys.map(({ name }) => name), used, left])).toEqual([
      [1, ['First'], 100, 0],
      [2, ['Second'], 5, 95],
      [3, ['Revoked'], 7, null],
    ])
  })

  test('per key', () => {
    const usage = listKeyUsage({ keys, slots, months, days }, { now: NOW, plans })
    expect(usage.map(({ key, slot, used, limit, isShared }) => [key.name, slot, used, limit, isShared])).toEqual([
      ['First', 1, 100, 100, false],
      ['Second', 2, 5, 100, false],
      ['Revoked', 3, 7, 100, false],
      ['Unused', 4, 0, 100, false],
    ])
    expect(usage[0].lastUsedAt).toEqual(new Date('2026-11-21T10:00:00Z'))
  })

  test('the last twelve months', () => {
    expect(report.months.filter(({ used }) => used > 0)).toEqual([
      { span: '2026-11', used: 112 },
      { span: '2026-10', used: 40 },
      { span: '2025-12', used: 9 },
    ])
    expect(report.months).toHaveLength(MONTHS_SHOWN)
  })

  test('another month leaves the quota of this month as it is', () => {
    const october = buildUsage({ keys, slots, months, days: [] }, { month: '2026-10', now: NOW, plans })
    expect(october).toMatchObject({ used: 40, unrecorded: 40, isCurrent: false })
    expect(october.quota).toEqual(report.quota)
    expect(october.slots.map(({ keys: [key], used, left }) => [key.name, used, left])).toEqual([
      ['First', 40, 0],
      ['Second', 0, 95],
    ])
  })

  test('a plan that was made smaller never leaves less than nothing', () => {
    const rows = { keys: [first], slots: slotsOf(first), months: [monthRow(first, '2026-11', 2000)], days: [] }
    expect(buildUsage(rows, { month: '2026-11', now: NOW, plans }).quota).toMatchObject({ left: 0, used: 2000 })
  })

  test('without keys', () => {
    const empty = buildUsage({ keys: [], slots: [], months: [], days: [] }, { month: '2026-11', now: NOW, plans })
    expect(empty).toMatchObject({ used: 0, unrecorded: 0, slots: [], quota: { keys: 0, limit: 0, left: 0, used: 0 } })
  })
})

describe('a slot whose key was replaced', () => {
  const [created, replaced] = [new Date('2026-10-01T00:00:00Z'), new Date('2026-11-20T12:00:00Z')]
  const former = accountKey({ name: 'Former', plan: 'free', createdAt: created, revokedAt: replaced })
  const after = { counter: former.counter, plan: 'free', createdAt: new Date(replaced.getTime() + 1) }
  const keys = [former, accountKey({ name: 'Current', ...after })]
  const slots = slotsOf(...keys)
  const build = (month: string, lastUsedAt: Date) =>
    buildUsage({ keys, slots, months: [monthRow(former, month, 90, lastUsedAt)], days: [] }, { month, now: NOW, plans })

  test('has one row with the requests of both keys, and what is left for the current one', () => {
    const report = build('2026-11', replaced)
    expect(report).toMatchObject({ used: 90, quota: { keys: 1, limit: 100, left: 10, used: 90 } })
    expect(report.slots.map(({ slot, keys, used, left }) => [slot, keys.map(({ name }) => name), used, left])).toEqual([
      [1, ['Current', 'Former'], 90, 10],
    ])
  })

  test('has only the keys that existed in the month', () => {
    const { slots: rows } = build('2026-10', created)
    expect(rows.map(({ keys, used }) => [keys.map(({ name }) => name), used])).toEqual([[['Former'], 90]])
  })

  test.each<[string, Date, former: Date | null, current: Date | null]>([
    ['before the replacement', replaced, replaced, null],
    ['after it', new Date('2026-11-21T00:00:00Z'), null, new Date('2026-11-21T00:00:00Z')],
  ])('was last used by one of them: %s', (_, lastUsedAt, ofFormer, ofCurrent) => {
    const months = [monthRow(former, '2026-11', 90, lastUsedAt)]
    const usage = listKeyUsage({ keys, slots, months, days: [] }, { now: NOW, plans })
    expect(usage.map((one) => one.lastUsedAt)).toEqual([ofFormer, ofCurrent])
    expect(usage.map(({ used, isShared }) => [used, isShared])).toEqual([
      [90, true],
      [90, true],
    ])
  })
})

test.each([
  ['2026-11', '2025-12'],
  ['2025-12', '2025-12'],
  ['2025-11', '2025-11'],
  ['2020-01', '2020-01'],
])('the first month for %s is %s', (month, first) => {
  expect(findFirstMonth({ month, now: NOW })).toBe(first)
})

/** Charges at random times. A charge before `upgrade` is in its month only, as in a store from before the upgrade. */
const histories = fc.record({
  keys: fc.array(fc.record({ plan: fc.constantFrom('free', 'pro', 'gone'), isRevoked: fc.boolean() }), {
    maxLength: 5,
  }),
  charges: fc.array(fc.record({ key: fc.nat(4), daysAgo: fc.nat(400) }), { maxLength: 60 }),
  now: fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2029, 0, 1) }),
  upgradeDaysAgo: fc.nat(400),
  chosen: fc.nat(13),
})

test('sums agree for any history', { tags: ['property'] }, () => {
  fc.assert(
    fc.property(histories, ({ now, chosen, ...history }) => {
      const keys = history.keys.map(({ plan, isRevoked }) =>
        accountKey({ plan, revokedAt: isRevoked ? new Date(now) : null }),
      )
      const month = listLastMonths(now, 14)[chosen]
      const charges = history.charges
        .filter(({ key }) => key < keys.length)
        .map(({ key, daysAgo }) => ({
          key: keys[key],
          day: new Date(now - daysAgo * 86_400_000).toISOString().slice(0, 10),
          isRecorded: daysAgo <= history.upgradeDaysAgo,
        }))
      const since = findFirstMonth({ month, now })
      const months = keys.flatMap((key) =>
        [...new Set(charges.map(({ day }) => day.slice(0, 7)))]
          .map((one) => monthRow(key, one, charges.filter((c) => c.key === key && c.day.startsWith(one)).length))
          .filter((row) => row.used > 0 && row.month >= since),
      )
      const recorded = charges.filter(({ day, isRecorded }) => isRecorded && day.startsWith(month))
      const days = keys.flatMap((key) =>
        [...new Set(recorded.map(({ day }) => day))]
          .map((day) => dayRow(key, day, recorded.filter((c) => c.key === key && c.day === day).length))
          .filter(({ used }) => used > 0),
      )
      const report = buildUsage({ keys, slots: slotsOf(...keys), months, days }, { month, now, plans })
      const inMonth = charges.filter(({ day }) => day.startsWith(month)).length
      expect(report.used).toBe(inMonth)
      expect(total(report.slots)).toBe(inMonth)
      expect(total(report.days) + report.unrecorded).toBe(inMonth)
      expect(report.unrecorded).toBe(inMonth - recorded.length)
      expect(total(report.months)).toBe(total(months.filter((row) => report.months.some((m) => m.span === row.month))))
      expect(report.days.map(({ span }) => span)).toEqual(listPastDays(month, now))
      expect(report.quota.left).toBeLessThanOrEqual(report.quota.limit)
    }),
  )
})

test('a charge between the two reads is counted and has a day', () => {
  const key = accountKey()
  const months = [monthRow(key, '2026-11', 4)]
  const rows = { keys: [key], slots: slotsOf(key), months, days: [dayRow(key, '2026-11-22', 5)] }
  const report = buildUsage(rows, { month: '2026-11', now: NOW, plans })
  expect(report).toMatchObject({ used: 5, unrecorded: 0, quota: { used: 5 } })
})
