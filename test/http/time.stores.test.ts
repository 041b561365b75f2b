import { describe, expect, test } from 'vitest'
import { computeNextMinute, computeNextMonth, countSecondsUntil, formatMonth } from '../../src/keys/calendar.ts'
import { readUsed } from '../store/read-used.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { until } from '../support/until.ts'
import { NEXT_YEAR, newSite, onePlan, openApp, scanOf } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const LEAP_YEAR = NEXT_YEAR + ((4 - (NEXT_YEAR % 4)) % 4)

describe('the calendar', () => {
  test.each([
    ['2027-12-31T23:59:59.999Z', '2027-12', '2028-01-01T00:00:00.000Z'],
    ['2028-01-01T00:00:00.000Z', '2028-01', '2028-02-01T00:00:00.000Z'],
    ['2028-02-29T23:59:59.999Z', '2028-02', '2028-03-01T00:00:00.000Z'],
    ['2027-02-28T23:59:59.999Z', '2027-02', '2027-03-01T00:00:00.000Z'],
    ['2028-02-28T23:59:59.999Z', '2028-02', '2028-03-01T00:00:00.000Z'],
    ['2100-02-28T23:59:59.999Z', '2100-02', '2100-03-01T00:00:00.000Z'],
    ['2027-10-31T12:00:00.000Z', '2027-10', '2027-11-01T00:00:00.000Z'],
  ])('%s', (at, month, next) => {
    expect(formatMonth(Date.parse(at))).toBe(month)
    expect(new Date(computeNextMonth(Date.parse(at))).toISOString()).toBe(next)
  })

  test.each([
    [0, 60_000, 60],
    [1, 60_000, 60],
    [1000, 60_000, 59],
    [59_000, 60_000, 1],
    [59_999, 60_000, 1],
    [60_000, 120_000, 60],
  ])('minute of %d ms ends at %d, %d s from then', (now, end, seconds) => {
    expect(computeNextMinute(now)).toBe(end)
    expect(countSecondsUntil(end, now)).toBe(seconds)
  })
})

const kind = await findAppKind('http: time')
describe.skipIf(kind.isMissing).each([kind])('time on $name', ({ open }) => {
  test.each([
    ['the year', Date.UTC(NEXT_YEAR + 1, 0, 1), `${NEXT_YEAR + 1}-02-01`],
    ['a leap February', Date.UTC(LEAP_YEAR, 2, 1), `${LEAP_YEAR}-04-01`],
    ['a February', Date.UTC(LEAP_YEAR + 1, 2, 1), `${LEAP_YEAR + 1}-04-01`],
    ['a month of 30 days', Date.UTC(NEXT_YEAR, 4, 1), `${NEXT_YEAR}-06-01`],
  ])('a used-up quota is full again from the first millisecond after %s', async (_, rollover, next) => {
    const site = scanOf(newSite())
    const app = await openApp({ stores: await open(), settings: onePlan(100, 2), now: rollover - 3000 })
    const { secret } = await app.newKey({ plan: 'free' })
    const seen: unknown[] = []
    for (const before of [3000, 2001, 2000, 1, 0, -1]) {
      app.clock.now = rollover - before
      const { status, body, headers } = await app.call({ url: site, secret })
      seen.push([before, status, body.code, headers['retry-after']])
    }
    expect(seen).toEqual([
      [3000, 200, undefined, undefined],
      [2001, 200, undefined, undefined],
      [2000, 429, 'quota_exceeded', '2'],
      [1, 429, 'quota_exceeded', '1'],
      [0, 200, undefined, undefined],
      [-1, 200, undefined, undefined],
    ])
    app.clock.now = rollover - 1
    const old = await app.call({ url: '/api/v1/me', secret })
    expect([old.body.requests_used, old.body.resets_on]).toEqual([2, new Date(rollover).toISOString().slice(0, 10)])
    app.clock.now = rollover
    const { body } = await app.call({ url: '/api/v1/me', secret })
    expect([body.requests_used, body.requests_remaining, body.resets_on]).toEqual([2, 0, next])
  })

  test('a request counts in the month and minute of its arrival, however long its scan takes', async () => {
    const rollover = Date.UTC(NEXT_YEAR + 1, 0, 1)
    let answer = (): void => {}
    const gate = new Promise<void>((resolve) => {
      answer = resolve
    })
    const site = scanOf(newSite())
    const app = await openApp({
      stores: await open(),
      now: rollover - 1,
      scan: async (url) => {
        await gate
        return sampleScan(url)
      },
    })
    const { secret, key } = await app.newKey()
    const asked = app.call({ url: site, secret })
    await until(() => app.scanned.length, 1)
    app.clock.now = rollover + 5000
    answer()
    const { status, headers } = await asked
    expect([status, headers['x-ratelimit-reset']]).toEqual([200, String(rollover / 1000)])
    expect(await readUsed(app.store, key.id, `${NEXT_YEAR}-12`)).toBe(1)
    expect(await readUsed(app.store, key.id, `${NEXT_YEAR + 1}-01`)).toBe(0)
    expect(await app.store.usage.listDays([key.id], `${NEXT_YEAR}-12`)).toMatchObject([{ day: `${NEXT_YEAR}-12-31` }])
    // One hour from the end of the scan, not from the request.
    app.clock.now = rollover + 5000 + 3_599_999
    expect((await app.call({ url: site, secret })).body.cached).toBe(true)
  })

  test('minutes are those of the clock; a clock that steps back finds its old window', async () => {
    const minute = Date.UTC(NEXT_YEAR, 6, 1, 9, 30)
    const app = await openApp({ stores: await open(), settings: onePlan(2, 100), now: minute })
    const { secret } = await app.newKey({ plan: 'free' })
    const seen: unknown[] = []
    for (const after of [0, 59_999, 59_999, 60_000, 59_000, 60_001, 60_001, 0, -1]) {
      app.clock.now = minute + after
      const { status, headers } = await app.call({ url: '/api/v1/me', secret })
      const reset = Number(headers['x-ratelimit-reset']) - minute / 1000
      seen.push([after, status, headers['x-ratelimit-remaining'], reset, headers['retry-after']])
    }
    expect(seen).toEqual([
      [0, 200, '1', 60, undefined],
      [59_999, 200, '0', 60, undefined],
      [59_999, 429, '0', 60, '1'],
      [60_000, 200, '1', 120, undefined],
      [59_000, 429, '0', 60, '1'],
      [60_001, 200, '0', 120, undefined],
      [60_001, 429, '0', 120, '60'],
      [0, 429, '0', 60, '60'],
      [-1, 200, '1', 0, undefined],
    ])
  })

  test('a clock that steps back makes no age below 0, and serves what is cached', async () => {
    const site = scanOf(newSite())
    const app = await openApp({ stores: await open() })
    const { secret } = await app.newKey()
    await app.call({ url: site, secret })
    app.clock.now -= 90_000
    const { body, headers } = await app.call({ url: site, secret })
    expect([body.cached, headers.age]).toEqual([true, '0'])
  })
})
