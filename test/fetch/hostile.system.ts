import { afterEach, describe, expect, it } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { SCAN_CAUSES } from '../../src/errors.ts'
import { openResolver } from '../../src/fetch/resolver.ts'
import { HOSTILE, type HostileServer, PAGE } from '../../tools/bench/hostile/hostile-servers.ts'
import { answer, head, type Opened, openListener, openSite, type Play } from '../../tools/bench/hostile/raw-server.ts'
import { openAnswerer } from '../support/dns-answerer.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'
import { fetchText } from './fetch-text.ts'
import { DEADLINE_MS, isAboutEvidence, judge, LATE_MS, policy, reachesDeadline, scan } from './hostile-scan.ts'

const opened: Opened[] = []
async function open(server: Pick<HostileServer, 'open'>): Promise<Opened> {
  const site = await server.open()
  opened.push(site)
  return site
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

// `hostile.test.ts` scans the others.
const slow = HOSTILE.filter((server) => reachesDeadline(server) || isAboutEvidence(server))

describe('a site that', () => {
  it.each(slow.map((server) => [server.name, server] as const))('%s', async (_name, server) => {
    const before = openHandles()
    const site = await open(server)
    const result = await scan(site, { deadlineMs: reachesDeadline(server) ? DEADLINE_MS : LATE_MS })
    expect(result.left).toEqual([])
    judge(result, server.expected)
    await site.close()
    opened.pop()
    await nothingOpenedSince(before)
  })
})

describe('a name server that does not respond', () => {
  it.each([
    ['for addresses', {}],
    ['for one family', { 'field.org AAAA': ['2606:4700::1111'] }],
  ])('%s fails the scan at its deadline', async (_name, answers) => {
    const before = openHandles()
    const answerer = await openAnswerer({ 'field.org A': 'silent', 'field.org AAAA': 'silent', ...answers })
    const asking = openResolver({ servers: [answerer.address], timeoutMs: LATE_MS })
    const error = await fetchText('http://field.org/', { resolver: asking, policy }).catch((failed: unknown) => failed)
    expect(error).toMatchObject({ reason: 'deadline', message: SCAN_CAUSES.deadline[1] })
    await answerer.close()
    await nothingOpenedSince(before)
  })
})

describe('an aborted signal', () => {
  it.each(HOSTILE.filter(reachesDeadline).map((server) => [server.name, server] as const))(
    'ends the scan of a site that %s',
    async (_name, server) => {
      const abort = new AbortController()
      const running = scan(await open(server), { deadlineMs: LATE_MS }, { signal: abort.signal })
      setTimeout(() => abort.abort(new Error('left')), 100) // At any moment: before, during or after the connection.
      const result = await running
      expect(result.error).toEqual(new Error('left'))
      expect(result.left).toEqual([])
    },
  )

  it('opens no connection when it aborted before the scan', async () => {
    let connections = 0
    const site = await open({ open: () => openListener(() => connections++) })
    const before = openHandles()
    const result = await scan(site, {}, { signal: AbortSignal.abort(new Error('left')) })
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
  const running = scan(
    site,
    { deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS },
    { signal: abort.signal },
  )
  await sent.promise
  await new Promise((resolve) => setTimeout(resolve, 100)) // The response is being read, whatever has arrived of it.
  abort.abort(new Error('left'))
  expect(await running).toMatchObject({ error: new Error('left'), left: [] })
})

it('twenty good scans succeed while all hostile ones run', async () => {
  const good = await open({ open: () => openSite(answer(PAGE)) })
  const sites = await Promise.all(HOSTILE.map(open))
  const hostile = sites.map((site) => scan(site))
  const scans = await Promise.all(Array.from({ length: 20 }, () => scan(good, { deadlineMs: LATE_MS })))
  for (const { site, error, left } of scans) {
    expect(error).toBeNull()
    expect(left).toEqual([])
    expect(Buffer.from(site?.html ?? []).toString()).toBe(PAGE)
  }
  for (const { left } of await Promise.all(hostile)) expect(left).toEqual([])
})
