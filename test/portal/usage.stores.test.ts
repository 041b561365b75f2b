import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Key } from '../../src/keys/types.ts'
import { NEXT_YEAR, scanOf } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { listQueries } from './list-queries.ts'
import { openPeople, type People, type Person, readText } from './people.ts'

const MONTH = `${NEXT_YEAR}-05`
const MAX_QUERIES = 5

const kind = await findAppKind('portal-usage')
describe.skipIf(kind.isMissing).each([kind])('$name', (kind) => {
  describe('the usage of an account', () => {
    let portal: People
    beforeAll(async () => {
      portal = await openPeople(kind)
    })

    const charge = async (key: Key, day: string, times: number): Promise<void> => {
      const at = new Date(`${day}T10:00:00Z`)
      for (let i = 0; i < times; i++) await portal.store.usage.charge({ counter: key.counter, day, quota: 1e6, at })
    }

    /** The rows of a table of a page, by its caption, as texts. */
    const readTable = (html: string, caption: string): string[][] => {
      const table = html.split('<table>').find((one) => readText(one).trim().startsWith(caption)) ?? ''
      return [...table.split('</table>')[0].matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => readText(cell).trim()),
      )
    }

    const readCsv = (text: string): string[][] => parse(text, { bom: true })

    describe('with two keys and a revoked one', () => {
      let person: Person
      let keys: Key[]
      beforeAll(async () => {
        person = await portal.createPerson('free')
        keys = []
        for (const name of ['First', 'Second', 'Revoked']) {
          portal.clock.now += 1
          keys.push((await portal.addKey(person, name)).key)
        }
        await charge(keys[0], `${MONTH}-03`, 2)
        await charge(keys[0], `${MONTH}-10`, 1)
        await charge(keys[1], `${MONTH}-10`, 4)
        await charge(keys[2], `${MONTH}-01`, 5)
        await charge(keys[0], `${NEXT_YEAR}-04-30`, 6)
        await charge(keys[1], `${NEXT_YEAR - 1}-12-31`, 3)
        await portal.store.keys.revokeKey(keys[2].id, new Date(portal.clock.now))
      })

      test('the page shows this month, with limits per key', async () => {
        const { status, html } = await person.get('/account')
        const text = readText(html)
        expect(status).toBe(200)
        expect(text).toContain('Plan free Used 12 requests Left 193 with 2 keys Resets on')
        expect(text).toContain(`Resets on ${NEXT_YEAR}-06-01`)
        expect(text).toContain('Each key has its own limits: 100 requests a month and 10 a minute')
        expect(text).toContain(`May ${NEXT_YEAR}: 12 requests`)
        expect(text).not.toContain('not recorded')
      })

      test('the table of days has every day until today, and their sum', async () => {
        const rows = readTable((await person.get('/account')).html, 'Requests per day')
        expect(rows.slice(1).map(([day, used]) => `${day} ${used}`)).toEqual([
          '1 May 5',
          '2 May 0',
          '3 May 2',
          ...[4, 5, 6, 7, 8, 9].map((day) => `${day} May 0`),
          '10 May 5',
          'Total 12',
        ])
      })

      test('the chart has the same days', async () => {
        const { html } = await person.get('/account')
        const charts = html.match(/<svg class="chart .*?<\/svg>/gs) ?? []
        expect(charts).toHaveLength(2)
        for (const chart of charts) {
          expect(chart.match(/<title>\d+ May: \d+ requests?<\/title>/g)).toHaveLength(10)
          expect(chart).toContain('<title>10 May: 5 requests</title>')
          expect(chart).toContain(`Requests per day, May ${NEXT_YEAR}</title>`)
          expect(chart).toContain('12 requests in this month, most of them on')
        }
        expect(html).not.toMatch(/ style=|<style|javascript:|<script>| on\w+="/)
      })

      test('the table of slots', async () => {
        const rows = readTable((await person.get('/account')).html, 'Requests per slot, May')
        const lastFour = keys.map(({ secrets }) => `spk_live_…${secrets[0].lastFour}`)
        expect(rows).toEqual([
          ['Slot', 'Key', 'Used', 'Left'],
          ['1', `First ${lastFour[0]}`, '3', '97'],
          ['2', `Second ${lastFour[1]}`, '4', '96'],
          ['3', `Revoked ${lastFour[2]} (revoked)`, '5', 'No key'],
        ])
      })

      test('the table of months', async () => {
        const rows = readTable((await person.get('/account')).html, 'Requests per month')
        expect(rows).toHaveLength(14)
        expect(rows.filter(([, used]) => used !== '0')).toEqual([
          ['Month', 'Requests'],
          [`May ${NEXT_YEAR}`, '12'],
          [`April ${NEXT_YEAR}`, '6'],
          [`December ${NEXT_YEAR - 1}`, '3'],
          ['Total', '21'],
        ])
      })

      test('another month', async () => {
        const { html } = await person.get(`/account?month=${NEXT_YEAR}-04`)
        expect(readText(html)).toContain(`April ${NEXT_YEAR}: 6 requests`)
        expect(readText(html)).toContain('Used 12 requests Left 193')
        expect(readTable(html, 'Requests per day').slice(-2)).toEqual([
          ['30 April', '6'],
          ['Total', '6'],
        ])
        expect(readTable(html, 'Requests per slot, April')).toEqual([
          ['Slot', 'Key', 'Used'],
          ['1', `First spk_live_…${keys[0].secrets[0].lastFour}`, '6'],
          ['2', `Second spk_live_…${keys[1].secrets[0].lastFour}`, '0'],
        ])
        expect(html).toContain(`<option value="${NEXT_YEAR}-04" selected>`)
      })

      test('the CSV of a month', async () => {
        const { status, headers, html } = await person.get(`/account/usage.csv?month=${MONTH}`)
        expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
          200,
          'text/csv; charset=utf-8',
          `attachment; filename="siteprint-usage-${MONTH}.csv"`,
        ])
        expect(readCsv(html).map(([, day, slot, key, name, , used]) => [day, slot, key, name, used])).toEqual([
          ['day', 'slot', 'key', 'name', 'requests'],
          [`${MONTH}-03`, '1', keys[0].id, 'First', '2'],
          [`${MONTH}-10`, '1', keys[0].id, 'First', '1'],
          [`${MONTH}-10`, '2', keys[1].id, 'Second', '4'],
          [`${MONTH}-01`, '3', keys[2].id, 'Revoked', '5'],
        ])
      })

      test('the CSV of a year', async () => {
        const read = async (year: number): Promise<string[][]> =>
          readCsv((await person.get(`/account/usage.csv?year=${year}`)).html).map(([month, day, , , , , used]) => [
            month,
            day,
            used,
          ])
        expect(await read(NEXT_YEAR)).toEqual([
          ['month', 'day', 'requests'],
          [`${NEXT_YEAR}-04`, `${NEXT_YEAR}-04-30`, '6'],
          [MONTH, `${MONTH}-03`, '2'],
          [MONTH, `${MONTH}-10`, '1'],
          [MONTH, `${MONTH}-10`, '4'],
          [MONTH, `${MONTH}-01`, '5'],
        ])
        expect(await read(NEXT_YEAR - 1)).toEqual([
          ['month', 'day', 'requests'],
          [`${NEXT_YEAR - 1}-12`, `${NEXT_YEAR - 1}-12-31`, '3'],
        ])
      })

      test('of another account is not shown', async () => {
        const other = await portal.createPerson('free')
        const { html } = await other.get('/account')
        expect(readText(html)).toContain('You have no active key')
        expect(readText(html)).toContain('Used 0 requests Left Create a key')
        for (const { id, secrets } of keys) {
          expect(html).not.toContain(id)
          expect(html).not.toContain(secrets[0].lastFour)
        }
        expect(readCsv((await other.get(`/account/usage.csv?month=${MONTH}`)).html)).toHaveLength(1)
      })
    })

    test('scans of the API are on the page at once', async () => {
      const person = await portal.createPerson()
      const { secret } = await portal.addKey(person)
      const scan = async (url: string): Promise<number> => (await portal.call({ url: scanOf(url), secret })).status
      expect([await scan('https://example.org'), await scan('https://example.com'), await scan('no url')]).toEqual([
        200, 200, 400,
      ])
      expect(readText((await person.get('/account')).html)).toContain('Used 2 requests Left 9,998')
    })

    test.each(['2027-13', '1999-12', '', 'x', `${NEXT_YEAR}-06`, `${NEXT_YEAR + 1}-01`, "2026-01'--", '$gt'])(
      'the month %j does not exist',
      async (month) => {
        const person = await sharePerson()
        for (const path of ['/account?month=', '/account/usage.csv?month=', '/account/usage.csv?year='])
          expect((await person.get(path + encodeURIComponent(month))).status).toBe(404)
      },
    )

    let shared: Promise<Person> | undefined
    const sharePerson = (): Promise<Person> => (shared ??= portal.createPerson())

    test('the CSV needs a month or a year', async () => {
      expect((await (await sharePerson()).get('/account/usage.csv')).status).toBe(404)
    })

    test.each(['/account', `/account/usage.csv?month=${MONTH}`])('%s needs a session', async (path) => {
      const { status, headers } = await portal.openBrowser().send({ path })
      expect([status, headers.location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`])
    })

    test('a month before days were counted has a remainder', async () => {
      const person = await portal.createPerson()
      const { key } = await portal.addKey(person)
      await charge(key, `${MONTH}-05`, 7)
      await forgetDays(portal, key)
      await charge(key, `${MONTH}-06`, 2)
      const { html } = await person.get('/account')
      expect(readText(html)).toContain('The chart does not show 7 requests')
      expect(readTable(html, 'Requests per day').slice(-2)).toEqual([
        ['Day not recorded', '7'],
        ['Total', '9'],
      ])
      const csv = readCsv((await person.get(`/account/usage.csv?month=${MONTH}`)).html)
      expect(csv.slice(1).map(([month, day, , , , , used]) => [month, day, used])).toEqual([
        [MONTH, '', '7'],
        [MONTH, `${MONTH}-06`, '2'],
      ])
    })

    describe('costs at most five queries', () => {
      let person: Person
      beforeAll(async () => {
        person = await portal.createPerson('advanced')
        for (let i = 0; i < 25; i++) {
          const { key } = await portal.addKey(person, `Key ${i}`)
          for (const month of ['01', '02', '03', '04', '05']) await charge(key, `${NEXT_YEAR}-${month}-07`, 1)
        }
      })

      test.each([
        '/account',
        `/account?month=${NEXT_YEAR}-02`,
        `/account/usage.csv?month=${MONTH}`,
        `/account/usage.csv?year=${NEXT_YEAR}`,
        '/account/keys',
        '/account/keys/:id',
        '/account/keys/:id/revoke',
      ])('%s', async (template) => {
        const path = template.replace(':id', (await person.keys())[3].id)
        await person.get(path)
        const queries = await listQueries(portal.store, async () => {
          expect((await person.get(path)).status).toBe(200)
        })
        expect(queries.length, queries.join('\n')).toBeGreaterThanOrEqual(2)
        expect(queries.length, queries.join('\n')).toBeLessThanOrEqual(MAX_QUERIES)
      })
    })
  })
})

/** Changes the usage of a key to what a version without days would have stored. */
async function forgetDays({ store: { authDatabase } }: People, { counter }: Key): Promise<void> {
  if (authDatabase.kind === 'sqlite') authDatabase.db.prepare('DELETE FROM usage_days WHERE key = ?').run(counter)
  else
    await authDatabase
      .get()
      .db.collection('usage')
      .updateMany({ key: counter }, { $unset: { days: '' } })
}
