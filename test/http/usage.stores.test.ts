import { describe, expect, test } from 'vitest'
import { listDaysOfMonth } from '../../src/keys/calendar.ts'
import { NEXT_YEAR, newSite, onePlan, openApp, scanOf, shareApps } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'

const NOW = Date.UTC(NEXT_YEAR, 4, 3, 12)
const MAY = `${NEXT_YEAR}-05`
const openShared = shareApps()

interface Day {
  readonly date: string
  readonly requests: number
}

describe('the days of a month', () => {
  test.each([
    ['2026-01', 31],
    ['2026-02', 28],
    ['2028-02', 29],
    ['2100-02', 28],
    ['2026-04', 30],
    ['2026-12', 31],
  ])('%s has %d', (month, count) => {
    const days = listDaysOfMonth(month)
    expect([days.length, days[0], days[8], days[9], days.at(-1)]).toEqual([
      count,
      `${month}-01`,
      `${month}-09`,
      `${month}-10`,
      `${month}-${count}`,
    ])
  })
})

const kind = await findAppKind('http: usage')
describe.skipIf(kind.isMissing).each([kind])('/usage on $name', ({ open }) => {
  test('returns the days of the current month up to today, zeros included', async () => {
    const app = await openApp({ stores: await open(), now: NOW })
    const { secret, key } = await app.newKey({ plan: 'free' })
    const charge = { counter: key.id, quota: 100, at: new Date(NOW) }
    for (const day of [`${MAY}-01`, `${MAY}-01`, `${NEXT_YEAR}-04-30`]) await app.store.usage.charge({ ...charge, day })
    const { status, body } = await app.call({ url: '/api/v1/usage', secret })
    expect([status, Object.keys(body)]).toEqual([200, ['month', 'requests_used', 'days']])
    expect(body).toEqual({
      month: MAY,
      requests_used: 2,
      days: [
        { date: `${MAY}-01`, requests: 2 },
        { date: `${MAY}-02`, requests: 0 },
        { date: `${MAY}-03`, requests: 0 },
      ],
    })
    const april = await app.call({ url: `/api/v1/usage?month=${NEXT_YEAR}-04`, secret })
    expect([april.body.requests_used, april.body.days.length]).toEqual([1, 30])
    expect(april.body.days.at(-1)).toEqual({ date: `${NEXT_YEAR}-04-30`, requests: 1 })
    const never = await app.call({ url: `/api/v1/usage?month=${NEXT_YEAR - 1}-02`, secret })
    expect([never.body.requests_used, new Set(never.body.days.map(({ requests }: Day) => requests))]).toEqual([
      0,
      new Set([0]),
    ])
  })

  test('a day ends at midnight UTC, by the arrival of the request', async () => {
    const midnight = Date.UTC(NEXT_YEAR, 4, 3)
    const app = await openApp({ stores: await open(), now: midnight, settings: onePlan(1000, 1000) })
    const { secret } = await app.newKey({ plan: 'free' })
    const site = scanOf(newSite())
    for (const after of [-1, -1, 0, 1, 86_399_999, 86_400_000]) {
      app.clock.now = midnight + after
      expect((await app.call({ url: site, secret })).status).toBe(200)
    }
    const { body } = await app.call({ url: '/api/v1/usage', secret })
    expect(body.days.map(({ requests }: Day) => requests)).toEqual([0, 2, 3, 1])
    expect(body.requests_used).toBe(6)
  })

  test('counts against the minute, costs no quota, and does not count as use of the key', async () => {
    const app = await openApp({ stores: await open(), settings: onePlan(2, 0), now: NOW })
    const { secret, key } = await app.newKey({ plan: 'free' })
    const answers = []
    for (let n = 0; n < 3; n++) answers.push(await app.call({ url: '/api/v1/usage', secret }))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(await app.store.usage.lastUsed(key.id)).toBeNull()
    expect(await app.store.usage.usedBy(key.id, MAY)).toBe(0)
  })
})

test.each([
  ['?month=', 'month must be a month such as 2026-05.'],
  ['?month=2026-5', 'month must be a month such as 2026-05.'],
  ['?month=2026-00', 'month must be a month such as 2026-05.'],
  ['?month=2026-05-01', 'month must be a month such as 2026-05.'],
  ['?month=0000-01', 'month must be a month such as 2026-05.'],
  [`?month=${MAY}%0A`, 'month must be a month such as 2026-05.'],
  [`?month=${MAY}&month=${MAY}`, 'month must be a month such as 2026-05.'],
  [`?month=${NEXT_YEAR}-06`, 'month is in the future.'],
  ['?months=2026-05', 'Unknown parameter "months". Did you mean "month"? Known parameters: month.'],
])('%s is rejected', async (query, sentence) => {
  const app = await openShared()
  const { secret } = await app.newKey()
  const { status, body } = await app.call({ url: `/api/v1/usage${query}`, secret })
  expect([status, body.code, body.error]).toEqual([400, 'invalid_request', sentence])
})

test.each([
  ['GET', '/usage', 200, 404],
  ['GET', '/usage?month=x', 400, 404],
  ['POST', '/usage', 405, 404],
  ['DELETE', '/usage', 405, 404],
])('%s %s: %d in revision 2, and %d in revision 1, like an unknown path', async (method, path, second, first) => {
  const app = await openShared()
  for (const [revision, wanted] of [
    [2, second],
    [1, first],
  ] as const) {
    const { secret } = await app.newKey({ revision })
    const bodies = method === 'POST' ? ['{', ''] : [undefined]
    for (const body of bodies) {
      const answer = await app.call({ method, url: `/api/v1${path}`, secret, body })
      expect(answer.status).toBe(wanted)
      if (revision === 2) continue
      const unknown = await app.call({ method, url: '/api/v1/nothing', secret, body })
      expect([answer.body.error, answer.body.code, answer.headers.allow]).toEqual([
        unknown.body.error,
        'not_found',
        undefined,
      ])
      const [left, leftAfter] = [answer, unknown].map(({ headers }) => Number(headers['x-ratelimit-remaining']))
      expect(left - leftAfter, 'both are counted').toBe(1)
    }
  }
})
