import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { SCAN_CAUSES, ScanError } from '../../src/errors.ts'
import { parseAllowed } from '../../src/fetch/address.ts'
import { type Dial, openDial } from '../../src/fetch/connector.ts'
import type { Site } from '../../src/fetch/fetch.ts'
import { DEFAULT_POLICY, type Policy } from '../../src/fetch/policy.ts'
import { openResolver, type Resolver } from '../../src/fetch/resolver.ts'
import { type Expected, HOSTILE, type HostileServer, PAGE } from '../../tools/bench/hostile/hostile-servers.ts'
import {
  answer,
  drip,
  head,
  type Opened,
  openListener,
  openSite,
  type Play,
} from '../../tools/bench/hostile/raw-server.ts'
import { openAnswerer } from '../support/dns-answerer.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'
import { fetchText } from './fetch-text.ts'

const DEADLINE_MS = 500
const local = parseAllowed('127.0.0.1')
const policy: Policy = { ...DEFAULT_POLICY, allow: local === null ? [] : [local], deadlineMs: DEADLINE_MS }
const resolver: Resolver = {
  addresses: async () => {
    throw new ScanError('name_not_found')
  },
  records: async () => [],
}

interface Scan {
  readonly site: Site | null
  readonly error: unknown
  readonly elapsedMs: number
  /** Sockets that are still open. */
  readonly left: readonly Socket[]
}

async function scan(
  { url, dial = openDial() }: Opened,
  changes: Partial<Policy> = {},
  signal?: AbortSignal,
): Promise<Scan> {
  const sockets: Socket[] = []
  const watched: Dial = (options, callback) => {
    const socket = dial(options, callback)
    if (socket) sockets.push(socket)
    return socket
  }
  const started = performance.now()
  const outcome = await fetchText(url, { resolver, policy: { ...policy, ...changes }, signal, dial: watched }).then(
    (site) => ({ site, error: null }),
    (error: unknown) => ({ site: null, error }),
  )
  return { ...outcome, elapsedMs: performance.now() - started, left: sockets.filter((socket) => !socket.destroyed) }
}

function judge({ site, error }: Scan, expected: Expected): void {
  if (expected !== 'fine' && 'reason' in expected) {
    expect(error, `${site?.status} ${site?.warnings}`).toBeInstanceOf(ScanError)
    const { reason, code, message } = error as ScanError
    expect({ reason, code, message }).toEqual({
      reason: expected.reason,
      code: SCAN_CAUSES[expected.reason][0],
      message: SCAN_CAUSES[expected.reason][1],
    })
    return
  }
  expect(error).toBeNull()
  const { warnings } = buildPage(site as Site)
  const all = [...(site as Site).warnings, ...warnings]
  expect(all).toEqual(expected === 'fine' ? [] : expected.warnings.map((warning) => expect.stringMatching(warning)))
}

const reachesDeadline = ({ expected }: HostileServer): boolean =>
  expected !== 'fine' && 'reason' in expected && expected.reason === 'deadline'

const opened: Opened[] = []
async function open(server: Pick<HostileServer, 'open'>): Promise<Opened> {
  const site = await server.open()
  opened.push(site)
  return site
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

describe('a site that', () => {
  it.each(HOSTILE.map((server) => [server.name, server] as const))('%s', async (_name, server) => {
    const before = openHandles()
    const site = await open(server)
    // A response that is merely laborious must end by itself on a busy machine, too.
    const deadlineMs = reachesDeadline(server) ? DEADLINE_MS : 20 * DEADLINE_MS
    const result = await scan(site, { deadlineMs })
    expect(result.left).toEqual([])
    judge(result, server.expected)
    expect(result.elapsedMs).toBeLessThan(deadlineMs + 500)
    await site.close()
    opened.pop()
    await nothingOpenedSince(before)
  })

  it('sends its body slowly is ended within 10.5 seconds', async () => {
    const site = await open({ open: () => openSite(drip('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n', '<')) })
    const result = await scan(site, { deadlineMs: DEFAULT_POLICY.deadlineMs })
    judge(result, { reason: 'deadline' })
    expect(result.elapsedMs).toBeGreaterThan(9900)
    expect(result.elapsedMs).toBeLessThan(10_500)
  })
})

describe('a name server that does not respond', () => {
  it.each([
    ['for addresses', {}],
    ['for one family', { 'field.org AAAA': ['2606:4700::1111'] }],
  ])('%s fails the scan at its deadline', async (_name, answers) => {
    const before = openHandles()
    const answerer = await openAnswerer({ 'field.org A': 'silent', 'field.org AAAA': 'silent', ...answers })
    const started = performance.now()
    const asking = openResolver({ servers: [answerer.address], timeoutMs: 60_000 })
    const error = await fetchText('http://field.org/', { resolver: asking, policy }).catch((failed: unknown) => failed)
    expect(error).toMatchObject({ reason: 'deadline', message: SCAN_CAUSES.deadline[1] })
    expect(performance.now() - started).toBeLessThan(DEADLINE_MS + 500)
    await answerer.close()
    await nothingOpenedSince(before)
  })
})

describe('an aborted signal', () => {
  it.each(HOSTILE.filter(reachesDeadline).map((server) => [server.name, server] as const))(
    'ends the scan of a site that %s immediately',
    async (_name, server) => {
      const abort = new AbortController()
      const running = scan(await open(server), { deadlineMs: 60_000 }, abort.signal)
      const timer = setTimeout(() => abort.abort(new Error('left')), 100)
      const result = await running
      clearTimeout(timer)
      expect(result.error).toEqual(new Error('left'))
      expect(result.left).toEqual([])
      expect(result.elapsedMs).toBeLessThan(2000)
    },
  )

  it('opens no connection when it aborted before the scan', async () => {
    let connections = 0
    const site = await open({ open: () => openListener(() => connections++) })
    const before = openHandles()
    const result = await scan(site, {}, AbortSignal.abort(new Error('left')))
    expect(result.error).toEqual(new Error('left'))
    await nothingOpenedSince(before)
    expect(connections).toBe(0)
  })
})

it('a scan that ends while side evidence without a length arrives causes no uncaught error', async () => {
  const sent = createDeferred<void>()
  const robots: Play = (socket) => {
    socket.write(head('content-type: text/plain\r\nconnection: close'))
    socket.write('User-agent', () => sent.resolve())
  }
  const site = await open({ open: () => openSite({ '/': answer(PAGE), '/robots.txt': robots }) })
  const abort = new AbortController()
  const running = scan(site, { deadlineMs: 60_000, evidenceMs: 60_000, evidenceAfterBodyMs: 60_000 }, abort.signal)
  await sent.promise
  await sleep(100) // The response is being read.
  abort.abort(new Error('left'))
  expect(await running).toMatchObject({ error: new Error('left'), left: [] })
})

it('twenty good scans succeed while all hostile ones run', async () => {
  const good = await open({ open: () => openSite(answer(PAGE)) })
  const sites = await Promise.all(HOSTILE.map(open))
  const hostile = sites.map((site) => scan(site))
  const scans = await Promise.all(Array.from({ length: 20 }, () => scan(good, { deadlineMs: 10_000 })))
  for (const { site, error, left } of scans) {
    expect(error).toBeNull()
    expect(left).toEqual([])
    expect(Buffer.from(site?.html ?? []).toString()).toBe(PAGE)
  }
  expect(Math.max(...scans.map(({ elapsedMs }) => elapsedMs))).toBeLessThan(2000)
  for (const { left, elapsedMs } of await Promise.all(hostile)) {
    expect(left).toEqual([])
    expect(elapsedMs).toBeLessThan(DEADLINE_MS + 500)
  }
})
