import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  ConnectionError,
  type ScanOutcome,
  Siteprint,
  type SiteprintError,
} from '../../clients/typescript/src/index.ts'
import { ScanError } from '../../src/errors.ts'
import { projectFolder } from '../../src/rules/built.ts'
import { onePlan, openApp, type TestApp } from '../http/app-fixture.ts'
import { onFileEnd } from '../support/on-file-end.ts'
import { writeFolder } from '../support/rule-folder.ts'
import { sampleScan } from '../support/sample-scan.ts'

const run = promisify(execFile)

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

/** Starts a server that gives these responses in turn, the last one again and again, and counts the requests. */
async function serveSteps(steps: readonly Step[]): Promise<{ baseUrl: string; count: () => number }> {
  let count = 0
  const baseUrl = await serve((request, response) => {
    request.resume()
    const [status, body, headers = {}] = steps[Math.min(count++, steps.length - 1)]
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return { baseUrl, count: () => count }
}

const fail = (status: number, code: string, headers = {}): Step => [
  status,
  { error: 'A sentence.', code, retryable: status >= 429, requestId: 'r-1' },
  headers,
]
const SITE = 'https://example.org/'

describe('with the running service', () => {
  let app: TestApp
  let secret: string
  let baseUrl: string
  beforeAll(async () => {
    const scan = async (url: string): ReturnType<TestApp['parts']['scan']> => {
      if (url.includes('offline')) throw new ScanError('unreachable')
      const scan = sampleScan(url)
      return url.includes('b.example') ? { ...scan, verdict: { ...scan.verdict, builder: null } } : scan
    }
    app = await openApp({ settings: onePlan(1000, 1000), scan })
    secret = (await app.newKey({ plan: 'free' })).secret
    baseUrl = await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  })

  test('the README holds as written: its command compiles the client, and its example is strict and runs', async () => {
    const client = join(projectFolder(), 'clients/typescript')
    const readme = readFileSync(join(client, 'README.md'), 'utf8')
    const [, command = ''] = /```sh\n(.*?)```/s.exec(readme) ?? []
    const [, code = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
    const folder = writeFolder({})
    for (const part of ['src', 'tsconfig.json']) cpSync(join(client, part), join(folder, part), { recursive: true })
    const tsc = `${process.execPath} ${join(projectFolder(), 'node_modules/typescript/bin/tsc')}`
    const local = command.replace('npx -p typescript tsc', tsc)
    expect(local).not.toBe(command)
    await run('sh', ['-ec', local], { cwd: folder })

    const example = code.replace('http://127.0.0.1:3000', baseUrl)
    expect(example).not.toBe(code)
    for (const name of ['example.mjs', 'example.mts']) writeFileSync(join(folder, name), example)
    const types = `--types node --typeRoots ${join(projectFolder(), 'node_modules/@types')}`
    const strict = `${tsc} example.mts --ignoreConfig --noEmit --strict --target es2022 --module nodenext --skipLibCheck ${types}`
    const [checked, { stdout }] = await Promise.all([
      run('sh', ['-ec', strict], { cwd: folder }).catch((error: { stdout: string }) => error),
      run(process.execPath, ['example.mjs'], { cwd: folder, env: { KEY: secret } }),
    ])
    expect(checked.stdout).toBe('')
    const [first, error, ...others] = stdout.trimEnd().split('\n')
    expect(first).toBe('Webflow high Harbour Line')
    expect(error).toMatch(/^blocked_target false [\da-f-]{36}$/)
    expect(others.slice(0, 2).sort()).toEqual(['https://a.example.org Webflow', 'https://b.example.org no builder'])
    expect(others.slice(2)).toEqual(['997 scans left'])
  }, 60_000)

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
  const scanWith = async (steps: readonly Step[], options: object = {}) => {
    const { baseUrl, count } = await serveSteps(steps)
    const started = performance.now()
    const outcome = await new Siteprint({ baseUrl, key: 'k', ...options }).scan(SITE).catch((error: unknown) => error)
    return { outcome, count: count(), ms: performance.now() - started }
  }

  test.concurrent.each<[string, Step[], requests: number, leastMs: number, wanted: object, options?: object]>([
    ['429 with Retry-After', [fail(429, 'rate_limited', { 'retry-after': '1' }), [200, RESULT]], 2, 1000, RESULT],
    ['503', [fail(503, 'unavailable'), [200, RESULT]], 2, 1000, RESULT],
    ['429 until next month', [fail(429, 'quota_exceeded', { 'retry-after': '900000' })], 1, 0, { retryAfter: 900_000 }],
    ['500', [fail(500, 'scan_failed')], 1, 0, { code: 'scan_failed', status: 500, retryable: true, requestId: 'r-1' }],
    ['400', [fail(400, 'a_new_code')], 1, 0, { code: 'a_new_code', message: 'A sentence.', retryable: false }],
    ['503, too often', [fail(503, 'maintenance')], 2, 1000, { code: 'maintenance' }, { maxRetries: 1 }],
    ['a page of a proxy', [[502, '<html>']], 1, 0, { code: 'unknown', status: 502, retryable: true, requestId: null }],
    ['another JSON', [[404, 'null']], 1, 0, { code: 'unknown', message: 'HTTP 404', retryable: false }],
    [
      'additional fields and values',
      [[200, { ...RESULT, category: 'other', more: [1] }]],
      1,
      0,
      { category: 'other', more: [1] },
    ],
  ])('%s', async (_, steps, requests, leastMs, wanted, options) => {
    const { outcome, count, ms } = await scanWith(steps, options)
    expect(outcome).toMatchObject(wanted)
    expect([count, ms >= leastMs - 5]).toEqual([requests, true])
  })

  test.concurrent('no response, and one that comes too late', async () => {
    const silent = await serve(() => {})
    for (const [baseUrl, name] of [
      ['http://127.0.0.1:1', 'TypeError'],
      [silent, 'TimeoutError'],
    ]) {
      const error = await new Siteprint({ baseUrl, key: 'k', maxRetries: 0, timeoutMs: 200 }).me().catch((one) => one)
      expect([error instanceof ConnectionError, error.cause.name]).toEqual([true, name])
    }
    const reason = new Error('enough')
    const pending = new Siteprint({ baseUrl: silent, key: 'k' }).scan(SITE, { signal: AbortSignal.abort(reason) })
    await expect(pending).rejects.toBe(reason)
  })

  test.concurrent('many URLs are sent at the rate of the key, and no request exceeds it', async () => {
    const limit = 10
    const counts = new Map<number, number>()
    const baseUrl = await serve((request, response) => {
      request.resume()
      const second = Math.floor(Date.now() / 1000)
      const count = (counts.get(second) ?? 0) + 1
      counts.set(second, count)
      const headers = {
        'x-ratelimit-limit': `${limit}`,
        'x-ratelimit-remaining': `${Math.max(0, limit - count)}`,
        'x-ratelimit-reset': `${second + 1}`,
      }
      response.writeHead(200, headers).end(JSON.stringify(RESULT))
    })
    const urls = Array.from({ length: 25 }, (_, i) => `https://${i}.example.org/`)
    const seen: string[] = []
    for await (const { url } of new Siteprint({ baseUrl, key: 'k' }).scanAll(urls)) seen.push(url)
    expect(seen.sort()).toEqual([...urls].sort())
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(limit)
    expect(counts.size).toBeGreaterThanOrEqual(3)
  })

  test.concurrent('leaving the loop cancels pending requests and ends the source', async () => {
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
      while (open.length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
      break
    }
    while (closed.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    expect([isEnded, closed.length]).toEqual([true, 2])
  })
})
