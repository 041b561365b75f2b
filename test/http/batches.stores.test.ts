import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ScanError } from '../../src/errors.ts'
import { sampleScan } from '../support/sample-scan.ts'
import { newSite, openApp, shareApps, type TestApp } from './app-fixture.ts'
import { findAppKind } from './app-kinds.ts'
import type { Answer } from './check-response.ts'

const BATCHES = '/api/v1/batches'
const openShared = shareApps()

interface Line {
  readonly position: number
  readonly url: string
  readonly code?: string
  readonly result?: { readonly url: string }
}

/** Reads the state of a batch until it has ended or is paused. */
async function waitForEnd(app: TestApp, secret: string, id: string): Promise<Answer['body']> {
  for (;;) {
    const { body } = await app.call({ url: `${BATCHES}/${id}`, secret })
    if (!['waiting', 'running'].includes(body.status)) return body
    app.clock.now += 100
    await nextTurn()
  }
}

async function readResults(app: TestApp, secret: string, id: string): Promise<Line[]> {
  const lines: Line[] = []
  let url: string | undefined = `${BATCHES}/${id}/results`
  while (url !== undefined) {
    const { status, text, headers } = await app.call({ url, secret })
    expect(status).toBe(200)
    lines.push(
      ...text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line),
    )
    url = /^<([^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]
  }
  return lines
}

const kind = await findAppKind('http: batches')
describe.skipIf(kind.isMissing).each([kind])('batches on $name', ({ open, isShared }) => {
  const openBatches = async (options: Parameters<typeof openApp>[0] = {}): Promise<TestApp> => {
    const plan = { name: 'advanced', perMinute: 1_000_000, perMonth: 1000, keys: 1, batchUrls: 5 }
    return openApp({
      stores: await open(),
      ...options,
      settings: { plans: new Map([['advanced', plan]]), ...options.settings },
    })
  }

  test('a list is scanned, and each success is charged once', async () => {
    const bad = newSite()
    const app = await openBatches({
      scan: async (url) => {
        if (url === bad) throw new ScanError('unreachable')
        return sampleScan(url)
      },
    })
    const { secret } = await app.newKey()
    const good = newSite()
    const urls = [good, bad, 'http://printer.lan/', 'example.org', good]
    const { status, headers, body } = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls } })
    expect([status, headers.location]).toEqual([202, `${BATCHES}/${body.id}`])
    expect(body).toMatchObject({ status: 'waiting', total: 5, counts: { waiting: 5 }, webhook: null })
    const ended = await waitForEnd(app, secret, body.id)
    expect(ended).toMatchObject({
      status: 'completed',
      counts: { waiting: 0, succeeded: 3, failed: 2, cancelled: 0 },
      failures: { scan_failed: 1, blocked_target: 1 },
    })
    const lines = await readResults(app, secret, body.id)
    expect(lines.map(({ position }) => position).sort()).toEqual([0, 1, 2, 3, 4])
    for (const { position, url } of lines) expect(url).toBe(urls[position])
    expect(lines.find(({ position }) => position === 3)?.result?.url).toBe('https://example.org/')
    expect((await app.call({ url: '/api/v1/me', secret })).body.requests_used).toBe(3)
  })

  test('the quota pauses a batch, and a larger one continues it', async () => {
    const plan = { name: 'advanced', perMinute: 1_000_000, perMonth: 2, keys: 1 }
    const plans = new Map([['advanced', plan]])
    const app = await openBatches({ settings: { plans } })
    const { secret } = await app.newKey()
    const urls = [newSite(), newSite(), newSite()]
    const { body } = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls } })
    const paused = await waitForEnd(app, secret, body.id)
    expect(paused).toMatchObject({ status: 'paused', reason: 'quota_exceeded', counts: { waiting: 1, succeeded: 2 } })
    plans.set('advanced', { ...plan, perMonth: 3 })
    // Submitting another batch makes the paused ones be reviewed.
    const next = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls: ['http://printer.lan/'] } })
    await waitForEnd(app, secret, next.body.id)
    while ((await app.call({ url: `${BATCHES}/${body.id}`, secret })).body.status !== 'completed') await nextTurn()
    expect((await app.call({ url: '/api/v1/me', secret })).body.requests_used).toBe(3)
  })

  test('a batch is cancelled, and is not that of another key', async () => {
    const app = await openBatches({ scan: () => new Promise(() => {}), settings: { workerConcurrency: 1 } })
    const { secret } = await app.newKey()
    const other = await app.newKey()
    const { body } = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls: ['http://printer.lan/'] } })
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/results'],
      ['POST', '/retry'],
    ]) {
      const answer = await app.call({ method, url: `${BATCHES}/${body.id}${path}`, secret: other.secret })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
    expect((await app.call({ url: BATCHES, secret: other.secret })).body).toEqual({ batches: [], next: null })
    expect((await app.call({ url: BATCHES, secret })).body.batches).toHaveLength(1)
    await waitForEnd(app, secret, body.id)
  })

  test('an idempotency key finds the batch', async () => {
    const app = await openBatches()
    const { secret } = await app.newKey()
    const send = (urls: readonly string[]) =>
      app.call({ method: 'POST', url: BATCHES, secret, headers: { 'idempotency-key': 'a1' }, body: { urls } })
    const first = await send(['http://printer.lan/'])
    const second = await send(['http://printer.lan/'])
    const other = await send(['http://printer.lan/', 'http://printer.lan/'])
    expect([first.status, second.status, second.body.id]).toEqual([202, 202, first.body.id])
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_conflict'])
    await waitForEnd(app, secret, first.body.id)
  })

  // Only where no server can be slow: a URL that failed three times for reasons of the service ends its batch.
  test.skipIf(isShared)('a hundred batches may be open, and a repeated request still finds its batch', async () => {
    const plan = { name: 'advanced', perMinute: 1_000_000, perMonth: 0, keys: 1, batchUrls: 5 }
    const app = await openBatches({ settings: { plans: new Map([['advanced', plan]]) } })
    const { secret } = await app.newKey()
    const urls = [newSite()]
    const send = (idempotencyKey?: string): Promise<Answer> =>
      app.call({
        ...{ method: 'POST', url: BATCHES, secret, body: { urls } },
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
      })
    const first = await send('first')
    for (let n = 1; n < 100; n++) expect((await send()).status).toBe(202)
    for (const rejected of [await send(), await send('other')]) {
      expect([rejected.status, rejected.body.code]).toEqual([400, 'invalid_request'])
      expect(rejected.body.error).toContain('100 batches of this key are not completed.')
    }
    expect((await send('first')).body.id).toBe(first.body.id)
    const ended = { status: 'completed', finishedAt: new Date(app.clock.now) } as const
    await app.store.batches.changeBatch(first.body.id, ['waiting', 'running', 'paused'], ended)
    const last = await send()
    expect(last.status).toBe(202)
    const retry = (): Promise<Answer> => app.call({ method: 'POST', url: `${BATCHES}/${first.body.id}/retry`, secret })
    expect((await retry()).body.error).toContain('100 batches of this key are not completed.')
    await app.call({ method: 'DELETE', url: `${BATCHES}/${last.body.id}`, secret })
    expect((await retry()).status).toBe(202)
  })
})

const TEXT = 'text/plain'
const CSV = 'text/csv; charset=utf-8'
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('lists', () => {
  test.each<[string, string, string, string | Buffer, readonly string[]]>([
    ['text', TEXT, '', '# sites\nexample.org\r\n\n  https://a.example/x \n', ['example.org', 'https://a.example/x']],
    ['text in UTF-16', TEXT, '', utf16('example.org\nb.example\n'), ['example.org', 'b.example']],
    ['NDJSON', 'application/x-ndjson', '', '"a.example"\n{"url":"b.example","id":7}\n', ['a.example', 'b.example']],
    ['CSV', CSV, '?column=Site', 'Name,site\n"Bowls, jugs","a.example"\n,\nB,b.example\n', ['a.example', 'b.example']],
    ['CSV with semicolons', CSV, '?column=site', 'sep=;\nname;site\nA;a.example\n', ['a.example']],
    ['CSV in UTF-16', CSV, '?column=site', utf16('name\tsite\nA\ta.example\n'), ['a.example']],
  ])('%s', async (_, type, query, list, wanted) => {
    const app = await openShared()
    const { secret } = await app.newKey()
    const headers = { 'content-type': type }
    const { status, body } = await app.call({ method: 'POST', url: BATCHES + query, secret, headers, body: list })
    expect([status, body.total]).toEqual([202, wanted.length])
    await waitForEnd(app, secret, body.id)
    const lines = await readResults(app, secret, body.id)
    expect(lines.sort((a, b) => a.position - b.position).map(({ url }) => url)).toEqual(wanted)
  })

  test.each<[string, string, string, string | Buffer | object, string]>([
    ['application/json', '', '', '{', 'The request body is not valid JSON in UTF-8.'],
    ['application/json', '', '', {}, 'urls is missing.'],
    ['application/json', '', '', { urls: [] }, 'The list contains no URL.'],
    ['application/json', '', '', { urls: [1] }, 'urls must be an array of strings.'],
    ['application/json', '', '', { urls: ['a.example'], webhook: 7 }, 'webhook must be a single URL.'],
    [
      'application/json',
      '',
      '',
      { urls: ['a.example'], webhook: 'http://hook.example.org/' },
      'webhook must be an https URL.',
    ],
    [
      'application/json',
      '',
      '',
      { urls: Array(101).fill('a.example') },
      'The list has 101 URLs. A batch of the plan free may contain 100.',
    ],
    [
      'application/xml',
      '',
      '',
      '<a/>',
      'Send the list with the header Content-Type: application/json, text/plain, application/x-ndjson, text/csv.',
    ],
    [TEXT, '', '', '', 'The list contains no URL.'],
    [TEXT, '', '', Buffer.from([0x61, 0xff]), 'The list is not in UTF-8. Save it again as UTF-8.'],
    [TEXT, '', '', Buffer.from('a.example', 'utf16le'), 'The list contains NUL characters. Save it again as UTF-8.'],
    [TEXT, '?include=nothing', '', 'a.example', 'Unknown value "nothing" of include.'],
    [TEXT, '?limit=3', '', 'a.example', 'Unknown parameter "limit"'],
    [TEXT, '', 'é', 'a.example', 'Idempotency-Key must have 1 to 255 visible ASCII characters.'],
    [
      'application/x-ndjson',
      '',
      '',
      '"a.example"\n7\n',
      'Line 2 of the list must be a text, or an object with the text "url".',
    ],
    [
      CSV,
      '',
      '',
      'name,site\nA,a.example\n',
      'Name the column with the URLs as "column" in the query. Its columns are "name", "site".',
    ],
    [
      CSV,
      '?column=sites',
      '',
      'name,site\nA,a.example\n',
      'The list has no column "sites" (did you mean "site"?). Its columns are "name", "site".',
    ],
    [CSV, '?column=site', '', 'name,site\n"A,a.example\n', 'The list is not valid CSV near line 2. Check the quotes.'],
    [
      CSV,
      '?column=site',
      '',
      `name,site\n"A,a.example\n${'B,b.example\n'.repeat(30_000)}`,
      'Check that each quote is closed.',
    ],
  ])('%s%s is rejected: %#', async (type, query, idempotency, list, sentence) => {
    const app = await openShared()
    const { secret } = await app.newKey({ plan: 'free' })
    const headers = { 'content-type': type, ...(idempotency && { 'idempotency-key': idempotency }) }
    const { status, body } = await app.call({ method: 'POST', url: BATCHES + query, secret, headers, body: list })
    expect([status, body.code]).toEqual([400, 'invalid_request'])
    expect(body.error).toContain(sentence)
  })

  test.each([
    ['http://printer.lan/', 'blocked_target'],
    ['https://127.0.0.1/', 'blocked_target'],
    ['hook', 'invalid_url'],
  ])('the webhook %s is rejected', async (webhook, code) => {
    const app = await openShared()
    const { secret } = await app.newKey()
    const body = { urls: ['a.example'], webhook }
    const answer = await app.call({ method: 'POST', url: BATCHES, secret, body })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('a list above 16 MiB is rejected with what is allowed', async () => {
    const app = await openShared()
    const { secret } = await app.newKey({ plan: 'free' })
    const headers = { 'content-type': TEXT }
    const list = Buffer.alloc(16 * 1024 * 1024 + 1, 'https://example.org/\n')
    const { status, body } = await app.call({ method: 'POST', url: BATCHES, secret, headers, body: list })
    expect([status, body.code, body.error]).toEqual([
      413,
      'payload_too_large',
      'The list is larger than 16 MiB. A batch of this key may contain 100 URLs.',
    ])
  })
})

describe('results', () => {
  test('as CSV, and compressed', async () => {
    const app = await openApp()
    const { secret } = await app.newKey()
    const urls = ['http://printer.lan/=1+1', ...Array.from({ length: 9 }, newSite)]
    const { body } = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls, include: ['evidence'] } })
    await waitForEnd(app, secret, body.id)
    const { text, headers } = await app.call({ url: `${BATCHES}/${body.id}/results?format=csv`, secret })
    expect(headers['content-type']).toBe('text/csv; charset=utf-8')
    const [names, ...rows] = text.trim().split('\n')
    expect(names).toMatch(/^position,url,finalUrl,builder,.*,error,code$/)
    expect(rows.map((row) => row.split(',')[1]).sort()).toEqual([...urls].sort())
    const path = `${BATCHES}/${body.id}/results`
    const plain = await app.call({ url: path, secret })
    const reply = await app.fastify.inject({
      url: path,
      headers: { authorization: `Bearer ${secret}`, 'accept-encoding': 'br, gzip;q=0.5' },
    })
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(reply.rawPayload).toString()).toBe(plain.text)
  })

  test('failures are retried', async () => {
    let isDown = true
    const app = await openApp({
      scan: async (url) => {
        if (isDown) throw new ScanError('unreachable')
        return sampleScan(url)
      },
    })
    const { secret } = await app.newKey()
    const urls = [newSite(), newSite()]
    const { body } = await app.call({ method: 'POST', url: BATCHES, secret, body: { urls } })
    expect(await waitForEnd(app, secret, body.id)).toMatchObject({ counts: { failed: 2 } })
    isDown = false
    app.clock.now += 10_000
    const retried = await app.call({ method: 'POST', url: `${BATCHES}/${body.id}/retry`, secret })
    expect([retried.status, retried.body.counts.waiting]).toEqual([202, 2])
    expect(await waitForEnd(app, secret, body.id)).toMatchObject({
      status: 'completed',
      counts: { succeeded: 2, failed: 0 },
    })
    expect(await readResults(app, secret, body.id)).toHaveLength(2)
  })
})

test.each([
  ['GET', '', 200, 404],
  ['POST', '', 400, 404],
  ['DELETE', '', 405, 404],
  ['GET', '/abc', 404, 404],
  ['POST', '/abc/retry', 404, 404],
  ['PUT', '/abc/results', 405, 404],
])('%s %s: %d in revision 2, and %d in revision 1', async (method, path, second, first) => {
  const app = await openShared()
  for (const [revision, wanted] of [
    [2, second],
    [1, first],
  ] as const) {
    const { secret } = await app.newKey({ revision })
    const answer = await app.call({ method, url: BATCHES + path, secret })
    expect([revision, answer.status]).toEqual([revision, wanted])
  }
})

test('where no node can run batches they are not available', async () => {
  const app = await openApp({ parts: { batchRunner: { unavailable: 'no shared store', wake: () => {} } } })
  const { secret } = await app.newKey()
  const { status, body } = await app.call({ url: BATCHES, secret })
  expect([status, body.code]).toEqual([503, 'unavailable'])
})
