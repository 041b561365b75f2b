import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type ClientOptions,
  ConnectionError,
  type ScanOutcome,
  Siteprint,
  type SiteprintError,
} from '../../clients/typescript/src/index.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { settle } from '../support/settle.ts'
import { until } from '../support/until.ts'
import { openSampleService, type SampleService } from './sample-service.ts'

const RESULT = JSON.parse(readFileSync(join(projectFolder(), 'clients/openapi.json'), 'utf8')).paths['/api/v1/scan'].get
  .responses[200].content['application/json'].examples.standard.value

/** Starts a server and returns its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileEnd(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Step = readonly [status: number, body: object | string, headers?: Readonly<Record<string, string>>]

const fail = (status: number, code: string, headers = {}): Step => [
  status,
  { error: 'A sentence.', code, retryable: status >= 429, requestId: 'r-1' },
  headers,
]
const SITE = 'https://example.org/'

describe('with the running service', () => {
  let app: SampleService['app']
  let secret: string
  let baseUrl: string
  beforeAll(async () => {
    ;({ app, secret, baseUrl } = await openSampleService())
  })

  test('every method returns what the service responds', async () => {
    const client = new Siteprint({ baseUrl: `${baseUrl}/`, key: secret })
    const read = async (url: string): Promise<unknown> => (await app.call({ url: `/api/v1${url}`, secret })).body
    const { last_used_at, ...me } = await client.me()
    expect({ ...me, last_used_at }).toEqual(await read('/me'))
    expect(await client.usage()).toEqual(await read('/usage'))
    expect((await client.usage('2026-05')).days).toHaveLength(31)
    expect(await client.catalogue()).toEqual(await read('/catalogue'))
    expect((await client.catalogue('builder')).entries).toHaveLength(1)
    const { cached, ...result } = await client.scan('https://c.example.org', {
      include: ['evidence', 'timing'],
      fresh: true,
    })
    expect({ ...result, cached: !cached }).toEqual(
      await read('/scan?url=https://c.example.org&include=evidence,timing'),
    )
  })

  test('errors have a code, and sites that fail do not end an iteration', async () => {
    const client = new Siteprint({ baseUrl, key: secret })
    const urls = ['https://d.example.org', 'https://offline.example.org', 'nothing']
    const outcomes: ScanOutcome[] = []
    for await (const outcome of client.scanAll(urls, { concurrency: 2 })) outcomes.push(outcome)
    const found = outcomes.map(({ url, result, error }) => [
      url,
      result?.builderSlug,
      (error as SiteprintError | null)?.code,
    ])
    expect(found.sort()).toEqual([
      ['https://d.example.org', 'webflow', undefined],
      ['https://offline.example.org', undefined, 'scan_failed'],
      ['nothing', undefined, 'invalid_url'],
    ])
    const stranger = new Siteprint({ baseUrl, key: 'spk_live_wrong' })
    await expect(stranger.scanAll(urls).next()).rejects.toMatchObject({
      status: 401,
      code: 'unauthorized',
      retryable: false,
    })
  })
})

describe('with responses of any service', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** Scans with these responses in turn, the last one again and again. Returns the outcome, and the time of each request. */
  const scanWith = async (steps: readonly Step[], options: Partial<ClientOptions> = {}) => {
    const times: number[] = []
    const fetch = async (): Promise<Response> => {
      const [status, body, headers = {}] = steps[Math.min(times.length, steps.length - 1)]
      times.push(Date.now())
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    }
    const client = new Siteprint({ baseUrl: 'http://127.0.0.1', key: 'k', fetch, ...options })
    const outcome = await settle(client.scan(SITE).catch((error: unknown) => error))
    return { outcome, times }
  }

  test.each<[string, Step[], times: number[], wanted: object, options?: Partial<ClientOptions>]>([
    ['429 with Retry-After', [fail(429, 'rate_limited', { 'retry-after': '7' }), [200, RESULT]], [0, 7000], RESULT],
    ['429 without Retry-After', [fail(429, 'rate_limited'), [200, RESULT]], [0, 1000], RESULT],
    ['503', [fail(503, 'unavailable'), [200, RESULT]], [0, 1000], RESULT],
    ['429 until next month', [fail(429, 'quota_exceeded', { 'retry-after': '900000' })], [0], { retryAfter: 900_000 }],
    ['500', [fail(500, 'scan_failed')], [0], { code: 'scan_failed', status: 500, retryable: true, requestId: 'r-1' }],
    ['400', [fail(400, 'a_new_code')], [0], { code: 'a_new_code', message: 'A sentence.', retryable: false }],
    ['503, too often', [fail(503, 'maintenance')], [0, 1000], { code: 'maintenance' }, { maxRetries: 1 }],
    ['503, again and again', [fail(503, 'maintenance')], [0, 1000, 3000, 7000], { code: 'maintenance' }],
    ['a page of a proxy', [[502, '<html>']], [0], { code: 'unknown', status: 502, retryable: true, requestId: null }],
    ['another JSON', [[404, 'null']], [0], { code: 'unknown', message: 'HTTP 404', retryable: false }],
    [
      'additional fields and values',
      [[200, { ...RESULT, category: 'other', more: [1] }]],
      [0],
      { category: 'other', more: [1] },
    ],
  ])('%s: the client sends its requests at the right times', async (_, steps, times, wanted, options) => {
    const found = await scanWith(steps, options)
    expect(found.outcome).toMatchObject(wanted)
    expect(found.times).toEqual(times)
  })

  test('many URLs are sent at the rate of the key, and no request exceeds it', async () => {
    const limit = 10
    const counts = new Map<number, number>()
    const fetch = async (): Promise<Response> => {
      const second = Math.floor(Date.now() / 1000)
      const count = (counts.get(second) ?? 0) + 1
      counts.set(second, count)
      const headers = {
        'x-ratelimit-limit': `${limit}`,
        'x-ratelimit-remaining': `${Math.max(0, limit - count)}`,
        'x-ratelimit-reset': `${second + 1}`,
      }
      return new Response(JSON.stringify(RESULT), { headers })
    }
    const urls = Array.from({ length: 25 }, (_, i) => `https://${i}.example.org/`)
    const scanEach = async (): Promise<string[]> => {
      const seen: string[] = []
      const client = new Siteprint({ baseUrl: 'http://127.0.0.1', key: 'k', fetch })
      for await (const { url } of client.scanAll(urls)) seen.push(url)
      return seen
    }
    expect((await settle(scanEach())).sort()).toEqual([...urls].sort())
    expect([...counts]).toEqual([
      [0, 10],
      [1, 10],
      [2, 5],
    ])
  })
})

describe('with a server', () => {
  test('no response, and one that comes too late, are connection errors', async () => {
    const silent = await serve(() => {})
    for (const [baseUrl, name] of [
      ['http://127.0.0.1:1', 'TypeError'],
      [silent, 'TimeoutError'],
    ]) {
      const error = await new Siteprint({ baseUrl, key: 'k', maxRetries: 0, timeoutMs: 20 }).me().catch((one) => one)
      expect([error instanceof ConnectionError, error.cause.name]).toEqual([true, name])
    }
    const reason = new Error('enough')
    const pending = new Siteprint({ baseUrl: silent, key: 'k' }).scan(SITE, { signal: AbortSignal.abort(reason) })
    await expect(pending).rejects.toBe(reason)
  })

  test('leaving the loop cancels pending requests and ends the source', async () => {
    const closed: string[] = []
    const open: IncomingMessage[] = []
    const baseUrl = await serve((request, response) => {
      request.resume()
      open.push(request)
      response.on('close', () => void (response.writableFinished || closed.push('one')))
      if (open.length === 1) response.setHeader('x-ratelimit-limit', 9).setHeader('x-ratelimit-remaining', 8)
      if (open.length === 1) response.setHeader('x-ratelimit-reset', 9e9).end(JSON.stringify(RESULT))
    })
    let isEnded = false
    async function* source(): AsyncGenerator<string> {
      try {
        for (let i = 0; ; i++) yield `https://${i}.example.org/`
      } finally {
        isEnded = true
      }
    }
    for await (const { error } of new Siteprint({ baseUrl, key: 'k' }).scanAll(source(), { concurrency: 3 })) {
      expect(error).toBeNull()
      await until(() => open.length, 3)
      break
    }
    await until(() => closed.length, 2)
    expect(isEnded).toBe(true)
  })
})
