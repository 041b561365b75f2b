import { beforeAll, describe, expect, test } from 'vitest'
import { listPastDays } from '../../src/portal/months.ts'
import { drawUsageChart } from '../../src/portal/usage-chart.ts'
import { EMBEDDED, findServers } from '../http/app-kinds.ts'
import { addAccounts } from './many-accounts.ts'
import { type Member, openPortalForMembers } from './members.ts'

/** The median of the milliseconds of several calls. */
async function measureMedian(count: number, run: (i: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    await run(i)
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)[Math.floor(count / 2)]
}

test('a chart of usage is drawn in less than 30 ms', async () => {
  const days = listPastDays('2026-11', Date.UTC(2030, 0, 1)).map((span, i) => ({ span, used: i * 7 }))
  // A chart that was not drawn before is not taken from the cache.
  const median = await measureMedian(40, (i) => {
    const changed = days.map((day, n) => (n === 0 ? { ...day, used: i } : day))
    return drawUsageChart({ month: '2026-11', days: changed, size: 'wide', title: 'Requests', description: 'x' })
  })
  // Measured: 2.7 ms.
  expect(median).toBeLessThan(30)
})

const servers = await findServers('speed of the list of accounts')
describe.each([EMBEDDED, servers].filter(({ isMissing }) => !isMissing))('on $name', ({ open }) => {
  let admin: Member
  beforeAll(async () => {
    const portal = await openPortalForMembers({ stores: await open() })
    await addAccounts(portal.store, 10_000)
    admin = await portal.joinAsAdmin()
  })

  test('a page of 10,000 accounts is sent in less than a second', async () => {
    const median = await measureMedian(15, async () => {
      expect((await admin.person.get('/admin?page=100')).status).toBe(200)
    })
    // Measured: 4 ms on SQLite, 9 ms on MongoDB.
    expect(median).toBeLessThan(1000)
  })
})
