import { expect, test } from 'vitest'
import { HostLimiter } from '../../src/fetch/host-limiter.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'
import { fetchText } from './fetch-text.ts'
import { openScene, resolverOf } from './scene.ts'

const { signal } = new AbortController()

test('visitors of one host come one at a time, in order, after the pause; other hosts do not wait', async () => {
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 50, pausesDeadline: true })
  const order: string[] = []
  const visit = async (name: string, host: string): Promise<number> => {
    const leave = await limiter.acquire(host, signal)
    order.push(name)
    await new Promise((resolve) => setImmediate(resolve))
    const left = performance.now()
    leave()
    return left
  }
  const [first, second] = await Promise.all([visit('a1', 'a'), visit('a2', 'a'), visit('b1', 'b')])
  expect(order).toEqual(['a1', 'b1', 'a2'])
  expect(second - first).toBeGreaterThanOrEqual(48) // A timer may fire a millisecond early.
})

test('who gives up waiting is told why, leaves nothing behind, and holds up nobody', async () => {
  const before = openHandles()
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: true })
  const leave = await limiter.acquire('a', signal)
  const giveUp = new AbortController()
  const waiting = limiter.acquire('a', giveUp.signal)
  const after = limiter.acquire('a', signal)
  giveUp.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  leave()
  ;(await after)()
  await nothingOpenedSince(before)
})

test.each([1, 2, 5])('of many visitors %i are inside at a time, and all come in', async (slots) => {
  const limiter = new HostLimiter({ slotsPerHost: slots, pauseMs: 0, pausesDeadline: false })
  let [inside, most, came] = [0, 0, 0]
  const visit = async (): Promise<void> => {
    const leave = await limiter.acquire('a', signal)
    came++
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
    leave()
  }
  await Promise.all(Array.from({ length: 20 }, visit))
  expect({ most, came, inside }).toEqual({ most: slots, came: 20, inside: 0 })
})

test('many sites that lead to one do not visit it all at once', async () => {
  let [inside, most] = [0, 0]
  const { dial, close } = await openScene((url, response) => {
    if (!url.startsWith('http://victim.example.com/'))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    most = Math.max(most, ++inside)
    return setTimeout(() => {
      inside--
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
    }, 20)
  })
  const limiter = new HostLimiter({ slotsPerHost: 2, pauseMs: 0, pausesDeadline: false })
  const options = {
    resolver: resolverOf(),
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
] as const)('sites that redirect %s to one host do not visit it all at once', async (_, evidence, bound) => {
  let [inside, most, came] = [0, 0, 0]
  const { dial, close } = await openScene((url, response) => {
    if (url.startsWith('http://victim.example.com/')) {
      most = Math.max(most, ++inside)
      came++
      return setTimeout(() => {
        inside--
        response.writeHead(404, { 'content-length': 0 }).end()
      }, 20)
    }
    if (/robots|favicon/.test(url))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
  })
  const limiter = new HostLimiter({ slotsPerHost: 2, pauseMs: 0, pausesDeadline: false })
  const policy = { ...DEFAULT_POLICY, evidenceAfterBodyMs: 1500 }
  const options = { resolver: resolverOf(), policy, evidence, hostLimiter: limiter, ...(dial && { dial }) }
  await Promise.all(Array.from({ length: 15 }, (_, i) => fetchText(`http://a${i}.example.org/`, options)))
  await close()
  expect(most).toBe(bound)
  expect(came).toBeGreaterThan(10)
})

test('side evidence that waits for a place leaves nothing behind, and gives up with its time', async () => {
  const { dial, requests, close } = await openScene((url, response) => {
    if (/robots/.test(url))
      return response.writeHead(302, { location: 'http://victim.example.com/', 'content-length': 0 }).end()
    return response.writeHead(200, { 'content-type': 'text/html' }).end('<p>here')
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const leave = await limiter.acquire('victim.example.com', signal)
  const policy = { ...DEFAULT_POLICY, evidenceAfterBodyMs: 50 }
  const options = {
    resolver: resolverOf(),
    policy,
    evidence: ['robots'] as const,
    hostLimiter: limiter,
    ...(dial && { dial }),
  }
  const site = await fetchText('http://a.example.org/', options)
  leave()
  await close()
  ;(await limiter.acquire('victim.example.com', signal))() // The place is free: nothing waits for it any more.
  expect({ robots: site.robots, requests }).toEqual({
    robots: null,
    requests: ['http://a.example.org/', 'http://a.example.org/robots.txt'],
  })
})

test('a scan that waits for another host has ended its requests for the one it left', async () => {
  let waiting = 0
  const { dial, close } = await openScene((url, response, request) => {
    if (/robots/.test(url)) {
      waiting++
      request.socket.once('close', () => waiting--)
      return undefined // It is never answered.
    }
    const leadsOn = url.startsWith('http://a.') && '<meta http-equiv=refresh content="0;url=http://b.example.org/">'
    return setTimeout(() => response.writeHead(200, { 'content-type': 'text/html' }).end(leadsOn || '<p>'), 30)
  })
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline: false })
  const leave = await limiter.acquire('b.example.org', signal)
  const policy = { ...DEFAULT_POLICY, evidenceMs: 5000 }
  const options = {
    resolver: resolverOf(),
    policy,
    hostLimiter: limiter,
    evidence: ['robots'] as const,
    ...(dial && { dial }),
  }
  const scan = fetchText('http://a.example.org/', options)
  await new Promise((resolve) => setTimeout(resolve, 10))
  const leaveFirst = await limiter.acquire('a.example.org', signal) // The scan has left it, and waits for the other.
  await new Promise((resolve) => setTimeout(resolve, 300)) // A socket closes within a few turns.
  expect(waiting).toBe(0)
  leaveFirst()
  leave()
  expect((await scan).url).toBe('http://b.example.org/')
  await close()
})

test.each([
  ['a scan whose clock stands', true, 'http://a.example.org/'],
  ['a scan whose clock runs', false, 'deadline'],
])('a host that is never left: %s', async (_, pausesDeadline, outcome) => {
  const { dial, close } = await openScene((_url, response) => response.writeHead(200).end('<p>here'))
  const limiter = new HostLimiter({ slotsPerHost: 1, pauseMs: 0, pausesDeadline })
  const leave = await limiter.acquire('a.example.org', signal)
  setTimeout(leave, 400)
  const policy = { ...DEFAULT_POLICY, deadlineMs: 200 }
  const options = { resolver: resolverOf(), policy, evidence: [], hostLimiter: limiter, ...(dial && { dial }) }
  const told = await fetchText('http://a.example.org/', options).then(
    ({ url }) => url,
    ({ reason }) => reason,
  )
  await close()
  expect(told).toBe(outcome)
})
