import { expect, test } from 'vitest'
import { HostLimiter } from '../../src/fetch/host-limiter.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'
import { fetchText } from './fetch-text.ts'
import { createResolver, openScene } from './scene.ts'

const { signal } = new AbortController()

test('slots of one host are used one at a time, in FIFO order, after the pause; other hosts do not wait', async () => {
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 50, pausesDeadline: true })
  const order: string[] = []
  const work = async (name: string, host: string): Promise<number> => {
    const release = await limiter.acquire(host, signal)
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    const releasedAt = performance.now()
    release()
    return releasedAt
  }
  const [first, second] = await Promise.all([work('a1', 'a'), work('a2', 'a'), work('b1', 'b')])
  expect(order).toEqual(['a1', 'b1', 'a2'])
  expect(second - first).toBeGreaterThanOrEqual(48) // A timer may fire a millisecond early.
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
  let [running, most] = [0, 0]
  const { dial, close } = await openScene((url, response) => {
    if (!url.startsWith('http://victim.example.com/'))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    most = Math.max(most, ++running)
    return setTimeout(() => {
      running--
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
    }, 20)
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
  expect({ most, urls: [...new Set(sites.map(({ url }) => url))] }).toEqual({
    most: 2,
    urls: ['http://victim.example.com/'],
  })
})

test.each([
  ['robots.txt', ['robots'], 2],
  ['the favicon', ['favicon'], 2],
  ['both', ['robots', 'favicon'], 2],
] as const)('the limit applies to a host to which many sites redirect %s', async (_, evidence, bound) => {
  let [running, most, started] = [0, 0, 0]
  const { dial, close } = await openScene((url, response) => {
    if (url.startsWith('http://victim.example.com/')) {
      most = Math.max(most, ++running)
      started++
      return setTimeout(() => {
        running--
        response.writeHead(404, { 'content-length': 0 }).end()
      }, 20)
    }
    if (/robots|favicon/.test(url))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
  })
  const limiter = new HostLimiter({ slotsPerHost: 2, pauseMs: 0, pausesDeadline: false })
  const policy = { ...DEFAULT_POLICY, evidenceAfterBodyMs: 1500 }
  const options = { resolver: createResolver(), policy, evidence, hostLimiter: limiter, ...(dial && { dial }) }
  await Promise.all(Array.from({ length: 15 }, (_, i) => fetchText(`http://a${i}.example.org/`, options)))
  await close()
  expect(most).toBe(bound)
  expect(started).toBeGreaterThan(10)
})

test('side evidence that waits for a slot stops at its time limit and leaves no waiter', async () => {
  const { dial, requests, close } = await openScene((url, response) => {
    if (/robots/.test(url))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const release = await limiter.acquire('victim.example.com', signal)
  const policy = { ...DEFAULT_POLICY, evidenceAfterBodyMs: 500 }
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
  let waiting = 0
  const { dial, close } = await openScene((url, response, request) => {
    if (/robots/.test(url)) {
      waiting++
      request.socket.once('close', () => waiting--)
      return undefined // Never responds.
    }
    const refresh = url.startsWith('http://a.') && '<meta http-equiv=refresh content="0;url=http://b.example.org/">'
    return setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(refresh || '<p>'), 30)
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const release = await limiter.acquire('b.example.org', signal)
  const policy = { ...DEFAULT_POLICY, evidenceMs: 5000 }
  const options = {
    resolver: createResolver(),
    policy,
    hostLimiter: limiter,
    evidence: ['robots'] as const,
    ...(dial && { dial }),
  }
  const scan = fetchText('http://a.example.org/', options)
  await new Promise((resolve) => setTimeout(resolve, 10))
  const releaseFirst = await limiter.acquire('a.example.org', signal) // The scan has released this slot and waits for the other host.
  await new Promise((resolve) => setTimeout(resolve, 300)) // A socket closes within a few turns.
  expect(waiting).toBe(0)
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
  setTimeout(release, 1200)
  const policy = { ...DEFAULT_POLICY, deadlineMs: 1000 }
  const options = { resolver: createResolver(), policy, evidence: [], hostLimiter: limiter, ...(dial && { dial }) }
  const actual = await fetchText('http://a.example.org/', options).then(
    ({ url }) => url,
    ({ reason }) => reason,
  )
  await close()
  expect(actual).toBe(outcome)
})
