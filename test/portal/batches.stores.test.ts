import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { newSite } from '../http/app-fixture.ts'
import { findAppKind } from '../http/app-kinds.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { type Member, type MembersPortal, openPortalForMembers } from './members.ts'
import { type PageAnswer, type Person, postList } from './person.ts'
import { readText } from './scan-form.ts'

const BAD = newSite()
const LIMIT = 5

/** Loads the page of a batch until it has ended. */
async function waitForEnd(portal: MembersPortal, person: Person, path: string): Promise<string> {
  for (;;) {
    const { status, text } = await person.get(path)
    expect(status).toBe(200)
    if (!text.includes('data-refresh')) return readText(text)
    portal.clock.now += 100
    await nextTurn()
  }
}

const findErrors = ({ text }: PageAnswer): string => readText(/role="alert".*?<\/ul>/s.exec(text)?.[0] ?? '')

const kind = await findAppKind('portal: batches')
describe.skipIf(kind.isMissing).each([kind])('batches in the portal on $name', ({ open }) => {
  let portal: MembersPortal
  let member: Member
  beforeAll(async () => {
    const plan = { name: 'free', perMinute: 1000, perMonth: 1000, keys: 3, batchUrls: LIMIT }
    portal = await openPortalForMembers({
      stores: await open(),
      settings: { plans: new Map([['free', plan]]) },
      scan: async (url) => {
        if (url === BAD) throw new ScanError('unreachable')
        return sampleScan(url)
      },
    })
    member = await portal.join()
  })

  test('a list is scanned, charged, shown and downloaded', async () => {
    const { person, account } = await portal.join()
    const good = newSite()
    const { status, location } = await postList(person, { urls: `${good}\n${BAD}\nhttp://printer.lan/\n` })
    expect(status).toBe(303)
    const path = location ?? ''
    const page = await waitForEnd(portal, person, path)
    expect(page).toMatch(/Completed: 3 of 3 URLs With a result 1 Failed 2 Waiting 0/)
    expect(page).toMatch(/scan_failed 1 .*blocked_target 1|blocked_target 1 .*scan_failed 1/)
    const [key] = await portal.store.keys.listAccountKeys(account.id)
    const month = new Date(portal.clock.now).toISOString().slice(0, 7)
    expect(await portal.store.usage.usedBy(key.counter, month)).toBe(1)
    const list = await person.get('/batches')
    expect(list.text).toContain(`href="${path}"`)
    expect((await person.get(`${path}/report`)).text).toMatch(/<svg class="chart chart-wide".*Errors by code/s)
    expect(readText((await person.get(`${path}/results`)).text)).toContain('blocked_target')
    const csv = await person.get(`${path}/results.csv`)
    expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="siteprint-batch-\w+\.csv"$/)
    expect(csv.text).toMatch(/^\ufeffposition,url,/)
    expect(csv.text.trim().split('\n')).toHaveLength(4)
    const lines = (await person.get(`${path}/results.ndjson`)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ position }) => position).sort()).toEqual([0, 1, 2])

    const again = await person.post(`${path}/retry`, { code: 'scan_failed' })
    expect([again.status, again.location]).toEqual([303, path])
    expect(await waitForEnd(portal, person, path)).toContain('With a result 1 Failed 2')
    expect(await portal.store.usage.usedBy(key.counter, month)).toBe(1)
  })

  test('a form that is sent twice creates one batch, and one with another list another one', async () => {
    const form = crypto.randomUUID()
    const send = async (urls: string) => (await postList(member.person, { urls, form })).location
    const first = await send('http://printer.lan/')
    expect(await send('http://printer.lan/')).toBe(first)
    expect(await send('http://scanner.lan/')).not.toBe(first)
  })

  test('a batch is cancelled', async () => {
    const { location } = await postList(member.person, { urls: 'http://printer.lan/' })
    await waitForEnd(portal, member.person, location ?? '')
    const { status } = await member.person.post(`${location}/cancel`)
    expect(status).toBe(303)
  })

  const utf16 = new Uint8Array(Buffer.from('\ufeffurl\nhttp://printer.lan/\n', 'utf16le'))
  test.each([
    ['text', { name: 'list.txt', content: '# mine\nhttp://printer.lan/\n\nhttp://a.lan/' }, '', 2],
    ['CSV with a usual column', { name: 'leads.CSV', content: 'name,Website\nA,"http://printer.lan/"\n' }, '', 1],
    ['CSV with a named column', { name: 'leads.csv', content: 'name;home\nA;http://printer.lan/\n' }, 'home', 1],
    ['CSV with one column', { name: 'a.csv', content: 'Shop page\nhttp://printer.lan/\n' }, '', 1],
    ['CSV without a header', { name: 'a.csv', content: 'printer.lan\nhttp://b.lan/\n' }, '', 2],
    ['UTF-16', { name: 'excel.csv', content: utf16 }, '', 1],
    ['NDJSON', { name: 'list.jsonl', content: '{"url":"http://printer.lan/"}\n"http://b.lan/"\n' }, '', 2],
  ])('%s is read', async (_, file, column, count) => {
    const { status, location } = await postList(member.person, { file, column })
    expect(status).toBe(303)
    const { text } = await member.person.get(location ?? '')
    expect(text).toContain(`<h1>Batch of ${count} URL${count === 1 ? '' : 's'}</h1>`)
  })

  test.each([
    ['nothing', {}, 422, 'Choose a file, or paste a list.'],
    ['an empty file', { file: { name: 'a.txt', content: '' } }, 422, 'The file is empty.'],
    ['a file and a text', { urls: 'a.lan', file: { name: 'a.txt', content: 'b.lan' } }, 422, 'but not both'],
    [
      'CSV without a usual column',
      { file: { name: 'a.csv', content: 'name,home\nA,a.lan' } },
      422,
      'Its columns are "name", "home"',
    ],
    ['a wrong column', { urls: 'name,home\nA,a.lan', column: 'hime' }, 422, 'no column "hime"'],
    ['broken CSV', { file: { name: 'a.csv', content: 'url\n"a.lan' } }, 422, 'not valid CSV'],
    ['a binary file', { file: { name: 'a.txt', content: new Uint8Array([0xff, 0x00, 0xfe]) } }, 422, 'not in UTF-8'],
    ['comments only', { urls: '# none' }, 400, 'contains no URL'],
    ['too many URLs', { urls: 'a.lan\n'.repeat(LIMIT + 1) }, 400, `of the plan free may contain ${LIMIT}`],
    ['an unknown key', { urls: 'a.lan', key: 'key_none' }, 409, 'can no longer be used'],
  ])('%s is an error of the form', async (_, form, status, error) => {
    const answer = await postList(member.person, form)
    expect(findErrors(answer)).toContain(error)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain('name="column"')
    if (error.includes('hime')) expect(answer.text).toMatch(/<textarea[^>]*>name,home\r?\nA,a\.lan<\/textarea>/)
  })

  test('a list above 16 MiB names what is allowed', async () => {
    const content = 'a'.repeat(16 * 1024 * 1024 + 1)
    const { status, text } = await postList(member.person, { file: { name: 'a.txt', content } })
    expect([status, readText(text)]).toEqual([413, expect.stringContaining(`may contain ${LIMIT} URLs`)])
  })

  test.each([
    ['a file for another form', '/account/settings/name'],
    ['a form without an end', '/batches'],
  ])('%s is not read', async (_, path) => {
    const form = Buffer.from('--x\r\nContent-Disposition: form-data; name="urls"\r\n\r\na.lan')
    const browser = portal.openBrowser()
    for (const pair of member.person.cookie.split('; ')) {
      const [name, value] = pair.split('=')
      browser.cookies.set(name, value)
    }
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    expect((await browser.send({ path, form, headers })).status).toBe(400)
  })

  test('the list has pages', async () => {
    const { person, account } = await portal.join()
    const [key] = await portal.store.keys.listAccountKeys(account.id)
    for (let n = 0; n < 21; n++) {
      portal.clock.now++
      const id = crypto.randomUUID()
      await portal.store.batches.createBatch(
        {
          ...{ id, key: key.id, counter: key.counter, account: account.id, status: 'waiting' },
          ...{ reason: null, total: 1, include: [], fresh: false, createdAt: new Date(portal.clock.now) },
          ...{ startedAt: null, finishedAt: null, idempotencyKey: null, fingerprint: '', webhook: null },
        },
        100,
      )
      await portal.store.batches.openBatch(id)
    }
    const countRows = ({ text }: PageAnswer): number => text.match(/<tr><th scope="row">/g)?.length ?? 0
    const newest = await person.get('/batches')
    const [, older = ''] = /href="([^"]+)">Older batches/.exec(newest.text) ?? []
    const oldest = await person.get(older)
    expect([countRows(newest), countRows(oldest), oldest.text.includes('Older')]).toEqual([20, 1, false])
  })
})

test('a batch counts against the rate limit of its key', async () => {
  const plan = { name: 'free', perMinute: 1, perMonth: 1000, keys: 1 }
  const { join } = await openPortalForMembers({ settings: { plans: new Map([['free', plan]]) } })
  const { person } = await join()
  expect((await postList(person, { urls: 'http://printer.lan/' })).status).toBe(303)
  const answer = await postList(person, { urls: 'http://printer.lan/' })
  expect([answer.status, findErrors(answer)]).toEqual([429, expect.stringContaining('for this minute are used up')])
})

test('without MongoDB the page says why there are no batches', async () => {
  const batchRunner = { unavailable: 'MONGODB_URL is not set', wake: () => {} }
  const portal = await openPortalForMembers({ parts: { batchRunner } })
  const { person } = await portal.join()
  for (const answer of [await person.get('/batches'), await postList(person, { urls: 'a.lan' })]) {
    expect(readText(answer.text)).toContain('Here, MONGODB_URL is not set.')
    expect(answer.text).not.toContain('<textarea')
  }
})
