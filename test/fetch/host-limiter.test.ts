import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { HostLimiter } from '../../src/fetch/host-limiter.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, openScene } from './scene.ts'

const { signal } = new AbortController()
/** A time limit that is not the subject of a test. */
const LATE_MS = 600_000
const BUSY = 'http://victim.example.com/'

/** Lets whatever can happen on local sockets happen. */
async function turnOften(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Counts the requests to one host: it responds to them only after all others had time to arrive. */
class BusyHost {
  most = 0
  started = 0
  #running = 0

  async respond(send: () => void): Promise<void> {
    this.started++
    this.most = Math.max(this.most, ++this.#running)
    await turnOften()
    this.#running--
    send()
  }
}

/** Sends the headers of a page, and its body when `ready` resolves. */
function sendPage(response: ServerResponse, html: string, ready: Promise<void>): void {
  response.writeHead(200, { 'content-type': 'text/html' }).write('<!doctype html>')
  void ready.then(() => response.end(html))
}

test('slots of one host are used one at a time, in FIFO order, after the pause; other hosts do not wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 50, pausesDeadline: true })
  const order: string[] = []
  const work = async (name: string, host: string): Promise<void> => {
    const release = await limiter.acquire(host, signal)
    order.push(name)
    release()
  }
  const done = Promise.all([work('a1', 'a'), work('a2', 'a'), work('b1', 'b')])
  await vi.advanceTimersByTimeAsync(49)
  expect(order).toEqual(['a1', 'b1'])
  await vi.advanceTimersByTimeAsync(1)
  await done
  expect(order).toEqual(['a1', 'b1', 'a2'])
})

test('a host that was not contacted needs no pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 50, pausesDeadline: true })
  const first = await limiter.acquire('a', signal)
  first({ wasContacted: false })
  const second = await limiter.acquire('a', signal)
  second({ wasContacted: true })
  expect(vi.getTimerCount()).toBe(0)
  const third = limiter.acquire('a', signal)
  await vi.advanceTimersByTimeAsync(50)
  ;(await third)()
})

test('an aborted waiter rejects with the reason, leaves no handle, and does not delay other waiters', async () => {
  const before = openHandles()
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: true })
  const release = await limiter.acquire('a', signal)
  const abort = new AbortController()
  const waiting = limiter.acquire('a', abort.signal)
  const after = limiter.acquire('a', signal)
  abort.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  release()
  ;(await after)()
  await nothingOpenedSince(before)
})

test.each([1, 2, 5])('with %i slots, that many of 20 callers run at a time, and all get a slot', async (slots) => {
  const limiter = new HostLimiter({ slotsPerHost: slots, pauseMs: 0, pausesDeadline: false })
  let [running, most, started] = [0, 0, 0]
  const work = async (): Promise<void> => {
    const release = await limiter.acquire('a', signal)
    started++
    most = Math.max(most, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    release()
  }
  await Promise.all(Array.from({ length: 20 }, work))
  expect({ most, started, running }).toEqual({ most: slots, started: 20, running: 0 })
})

test('the limit applies to a host to which many sites redirect', async () => {
  const busy = new BusyHost()
  const { dial, close } = await openScene((url, response) => {
    if (!url.startsWith(BUSY)) return response.writeHead(302, { location: BUSY, 'content-length': 0 }).end()
    return busy.respond(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here'))
  })
  const limiter = new HostLimiter({ slotsPerHost: 2, pauseMs: 0, pausesDeadline: false })
  const options = {
    resolver: createResolver(),
    policy: DEFAULT_POLICY,
    evidence: [],
    hostLimiter: limiter,
    ...(dial && { dial }),
  }
  const sites = await Promise.all(Array.from({ length: 10 }, (_, i) => fetchText(`http://a${i}.example.org/`, options)))
  await close()
  expect([busy.most, ...new Set(sites.map(({ url }) => url))]).toEqual([2, BUSY])
})

test.each([
  ['robots.txt', ['robots']],
  ['the favicon', ['favicon']],
  ['both', ['robots', 'favicon']],
] as const)('the limit applies to a host to which many sites redirect %s', async (_, evidence) => {
  const busy = new BusyHost()
  const { dial, close } = await openScene((url, response) => {
    if (url.startsWith(BUSY)) return busy.respond(() => response.writeHead(404, { 'content-length': 0 }).end())
    if (/robots|favicon/.test(url)) return response.writeHead(302, { location: BUSY, 'content-length': 0 }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
  })
  const limiter = new HostLimiter({ slotsPerHost: 2, pauseMs: 0, pausesDeadline: false })
  const policy = { ...DEFAULT_POLICY, deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS }
  const options = { resolver: createResolver(), policy, evidence, hostLimiter: limiter, ...(dial && { dial }) }
  await Promise.all(Array.from({ length: 15 }, (_, i) => fetchText(`http://a${i}.example.org/`, options)))
  await close()
  expect([busy.most, busy.started]).toEqual([2, 15 * evidence.length])
})

test('side evidence that waits for a slot stops at its time limit and leaves no waiter', async () => {
  const redirected = createDeferred<void>()
  const { dial, requests, close } = await openScene((url, response) => {
    if (!/robots/.test(url)) return sendPage(response, '<p>here', redirected.promise)
    response.writeHead(302, { location: BUSY, 'content-length': 0 }).end()
    return redirected.resolve()
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const release = await limiter.acquire('victim.example.com', signal)
  const policy = { ...DEFAULT_POLICY, deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: 100 }
  const options = {
    resolver: createResolver(),
    policy,
    evidence: ['robots'] as const,
    hostLimiter: limiter,
    ...(dial && { dial }),
  }
  const site = await fetchText('http://a.example.org/', options)
  release()
  await close()
  ;(await limiter.acquire('victim.example.com', signal))() // The slot is free and has no other waiter.
  expect({ robots: site.robots, requests }).toEqual({
    robots: null,
    requests: ['http://a.example.org/', 'http://a.example.org/robots.txt'],
  })
})

test('a scan that waits for another host has aborted its requests to the previous host', async () => {
  const [asked, aborted] = [createDeferred<void>(), createDeferred<void>()]
  const { dial, close } = await openScene((url, response, request) => {
    if (url === 'http://a.example.org/robots.txt') {
      asked.resolve()
      request.socket.once('close', () => aborted.resolve())
      return undefined // Never responds.
    }
    if (/robots/.test(url)) return response.writeHead(404).end()
    const refresh = '<meta http-equiv=refresh content="0;url=http://b.example.org/">'
    return sendPage(response, url.startsWith('http://a.') ? refresh : '<p>', asked.promise)
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const release = await limiter.acquire('b.example.org', signal)
  const policy = { ...DEFAULT_POLICY, deadlineMs: LATE_MS, evidenceMs: LATE_MS, evidenceAfterBodyMs: LATE_MS }
  const options = {
    resolver: createResolver(),
    policy,
    hostLimiter: limiter,
    evidence: ['robots'] as const,
    ...(dial && { dial }),
  }
  const scan = fetchText('http://a.example.org/', options)
  await asked.promise
  const releaseFirst = await limiter.acquire('a.example.org', signal) // The scan has released this slot and waits for the other host.
  await aborted.promise
  releaseFirst()
  release()
  expect((await scan).url).toBe('http://b.example.org/')
  await close()
})

test.each([
  ['the deadline is paused', true, 'http://a.example.org/'],
  ['the deadline is not paused', false, 'deadline'],
])('while the slot of a host is not released: %s', async (_, pausesDeadline, outcome) => {
  const { dial, close } = await openScene((_url, response) => response.writeHead(200).end('<p>here'))
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline })
  const release = await limiter.acquire('a.example.org', signal)
  const options = {
    resolver: createResolver(),
    policy: DEFAULT_POLICY,
    evidence: [],
    hostLimiter: limiter,
    ...(dial && { dial }),
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const fetched = fetchText('http://a.example.org/', options).then(
    ({ url }) => url,
    ({ reason }) => reason,
  )
  await vi.advanceTimersByTimeAsync(2 * DEFAULT_POLICY.deadlineMs)
  vi.useRealTimers()
  release()
  expect(await fetched).toBe(outcome)
  await close()
})
