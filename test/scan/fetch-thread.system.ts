import { mkdtempSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { ScanError } from '../../src/errors.ts'
import { formatAllowed, parseAllowed } from '../../src/fetch/address.ts'
import type { Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import { openResolver } from '../../src/fetch/resolver.ts'
import { FetchThread } from '../../src/scan/fetch-thread.ts'
import { fetchText } from '../fetch/fetch-text.ts'
import { builtProject } from '../support/built-project.ts'
import { until } from '../support/until.ts'

const opened = parseAllowed('127.0.0.0/8')
const policy: Policy = { ...DEFAULT_POLICY, allow: opened === null ? [] : [opened], deny: ['denied.example.org'] }
const call = { wantedDns: [] }
/** A time limit that is not the subject of a test. */
const LATE_MS = 600_000

let file = ''
let origin = ''
/** Responses of a host to which others redirect. They are sent in pairs, so that a third request at a time would be noticed. */
const held: http.ServerResponse[] = []
let most = 0
const slow = createDeferred<void>()
const server = http.createServer((request, response) => {
  if (request.url?.startsWith('/slow')) {
    slow.resolve()
    return
  }
  if (request.headers.host?.startsWith('127.0.1.1')) {
    most = Math.max(most, held.push(response))
    if (held.length === 2) for (const one of held.splice(0)) one.end('Disallow: /')
    return
  }
  if (request.url === '/robots.txt') {
    response.writeHead(302, { location: `http://127.0.1.1:${(server.address() as AddressInfo).port}/` }).end()
    return
  }
  if (request.url === '/refused' || request.url === '/away') {
    response.writeHead(302, { location: request.url === '/away' ? 'http://example.net/' : '/private' }).end()
    return
  }
  if (request.url === '/main.js') {
    response.writeHead(200, { 'content-type': 'text/javascript' }).end('let tide = 1')
    return
  }
  response.writeHead(200, { 'content-type': 'text/html', 'x-a': 'b' })
  response.end(`<title>Tide tables</title>${request.url === '/built' ? '<script src=/main.js></script>' : ''}`)
})
const threads: FetchThread[] = []
function openThread(changes: Partial<ConstructorParameters<typeof FetchThread>[0]> = {}): FetchThread {
  const hostLimits = { slotsPerHost: 2, pauseMs: 0, pausesDeadline: false }
  const thread = new FetchThread({ policy, evidence: [], hostLimits, file, ...changes })
  threads.push(thread)
  return thread
}

beforeAll(async () => {
  file = join(builtProject().folder, 'dist', 'src', 'scan', 'fetch-worker.js')
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.close()))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const untimed = ({ timing: _, remainingMs: __, headers, html, scripts, ...site }: Site): object => ({
  ...site,
  scripts: scripts?.map(({ url, text }) => [url, Buffer.from(text as Uint8Array).toString()]),
  headers: headers.filter(([name]) => name !== 'date'),
  html: Buffer.from(html).toString(),
})

describe('a fetch on the thread', () => {
  test('has the same result as on the main thread', async () => {
    const here = await fetchText(`http://${origin}/built`, { resolver: openResolver(), policy, evidence: [] })
    const there = await openThread().fetch(`http://${origin}/built`, call)
    expect(untimed(there)).toEqual(untimed(here))
    for (const bytes of [there.html, there.scripts?.[0].text as Uint8Array])
      expect(bytes.buffer.byteLength).toBe(bytes.byteLength) // The bytes can be transferred without a copy.
  })

  test.each([
    ['example', 'not_a_url'],
    ['http://localhost/', 'not_public'],
    ['https://denied.example.org/', 'denied'],
    ['http://127.0.0.1:1/', 'connection_refused'],
  ])('fails with the same error: %s', async (url, reason) => {
    const error = await openThread()
      .fetch(url, call)
      .catch((error) => error)
    expect(error).toBeInstanceOf(ScanError)
    expect(error.reason).toBe(reason)
  })

  test('rejects with the reason of the signal', async () => {
    const abort = new AbortController()
    const fetching = openThread().fetch(`http://${origin}/slow`, { ...call, signal: abort.signal })
    await slow.promise
    abort.abort(new Error('enough'))
    await expect(fetching).rejects.toThrow('enough')
  })

  test('is subject to the host limiter of the thread', async () => {
    const patient = { ...policy, deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS }
    const thread = openThread({ evidence: ['robots'], policy: patient })
    const [, port] = origin.split(':')
    const sites = await Promise.all(
      Array.from({ length: 12 }, (_, i) => thread.fetch(`http://127.0.2.${i}:${port}/`, call)),
    )
    expect(sites.map(({ robots }) => robots)).toEqual(Array(12).fill('Disallow: /'))
    expect(most).toBe(2)
  })

  test.each<[path: string, robots: string, expected: object]>([
    ['/blog', 'User-agent: *\nDisallow: /private', { status: 200, robots: 'User-agent: *\nDisallow: /private' }],
    ['/blog', 'User-agent: *\nDisallow: /blog', { reason: 'robots_refused' }],
    ['/refused', 'User-agent: *\nDisallow: /private', { reason: 'robots_refused' }],
    ['/away', '', { reason: 'other_site' }],
  ])('reads another page %s under %j', async (path, robots, expected) => {
    const host = origin.slice(0, origin.indexOf(':'))
    const further = { site: host, deadlineMs: LATE_MS, robots: { [`http://${origin}`]: robots }, skip: [] }
    const thread = openThread({ policy: { ...policy, deadlineMs: LATE_MS }, evidence: ['robots'] })
    const found = await thread.fetch(`http://${origin}${path}`, { ...call, further }).catch((error) => error)
    expect(found).toMatchObject(expected)
  })

  test('ends at its deadline', async () => {
    const thread = openThread({ policy: { ...policy, deadlineMs: 300 } })
    await expect(thread.fetch(`http://${origin}/slow`, call)).rejects.toMatchObject({ reason: 'deadline' })
  })
})

describe('a thread', () => {
  /** A thread that hangs, exits or returns the URL, depending on the URL. */
  const trap = join(mkdtempSync(join(tmpdir(), 'fetch-thread-')), 'trap.mjs')
  writeFileSync(
    trap,
    `import { parentPort, threadId } from 'node:worker_threads'
    let pings = 0
    parentPort.on('message', ({ type, id, url }) => {
      if (type === 'ping') parentPort.postMessage({ type: 'pong', pings: pings++ })
      if (url === 'state') parentPort.postMessage({ type: 'site', id, site: { threadId, pings } })
      if (type !== 'fetch') return
      if (url === 'hang') for (;;);
      if (url === 'end') process.exit(0)
      if (url === 'throw') throw new Error('broken')
      if (!['silence', 'state'].includes(url)) parentPort.postMessage({ type: 'site', id, site: { url } })
    })`,
  )
  const short = { file: trap, policy: { ...policy, deadlineMs: 2000 }, graceMs: 500 }
  const patient = { file: trap, policy: { ...policy, deadlineMs: LATE_MS } }

  test('that hangs fails its scans in time and is replaced', async () => {
    const thread = openThread(short)
    await expect(thread.fetch('hang', call)).rejects.toMatchObject({ reason: 'deadline' })
    await expect(thread.fetch('a', call)).rejects.toMatchObject({ reason: 'internal' }) // Fails when the thread is terminated.
    expect(await thread.fetch('b', call)).toEqual({ url: 'b' })
  })

  test('that lost one scan but responds to a ping is kept', async () => {
    const thread = openThread(short)
    const before = await thread.fetch('state', call)
    await expect(thread.fetch('silence', call)).rejects.toMatchObject({ reason: 'deadline' })
    await until(() => thread.fetch('state', call), { ...before, pings: 1 } as Site)
  })

  test.each(['end', 'throw'])('is replaced after: %s', async (text) => {
    const thread = openThread(patient)
    await expect(thread.fetch(text, call)).rejects.toMatchObject({ reason: 'internal' })
    expect(await thread.fetch('a', call)).toEqual({ url: 'a' })
  })

  test('that is closed rejects running and new scans', async () => {
    const thread = openThread(patient)
    const pending = thread.fetch('silence', call)
    pending.catch(() => {})
    await thread.close()
    await expect(pending).rejects.toMatchObject({ reason: 'internal' })
    await expect(thread.fetch('a', call)).rejects.toMatchObject({ reason: 'internal' })
  })
})

test.each(['127.0.0.1/32', '10.0.0.0/8', '127.0.0.1/32:3000', '[::1]/128', '[fd00::]/8:80'])(
  'an allowed address is unchanged after formatting and parsing: %s',
  (text) => {
    const entry = parseAllowed(text)
    expect(entry && formatAllowed(entry)).toBe(text)
  },
)
