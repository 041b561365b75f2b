import { expect, test } from 'vitest'
import { fetchSite } from '../../src/fetch/fetch.ts'
import { HostGate } from '../../src/fetch/gate.ts'
import { DEFAULT_POLICY } from '../../src/fetch/policy.ts'
import { nothingOpenedSince, openHandles } from '../open-handles.ts'
import { openScene, resolverOf } from './scene.ts'

const { signal } = new AbortController()

test('visitors of one host come one at a time, in order, after the pause; other hosts do not wait', async () => {
  const gate = new HostGate({ visitors: 1, pauseMs: 50, stopsClock: true })
  const order: string[] = []
  const visit = async (name: string, host: string): Promise<number> => {
    const leave = await gate.enter(host, signal)
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
  const gate = new HostGate({ visitors: 1, pauseMs: 0, stopsClock: true })
  const leave = await gate.enter('a', signal)
  const giveUp = new AbortController()
  const waiting = gate.enter('a', giveUp.signal)
  const after = gate.enter('a', signal)
  giveUp.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  leave()
  ;(await after)()
  await nothingOpenedSince(before)
})

test.each([1, 2, 5])('of many visitors %i are inside at a time, and all come in', async (visitors) => {
  const gate = new HostGate({ visitors, pauseMs: 0, stopsClock: false })
  let [inside, most, came] = [0, 0, 0]
  const visit = async (): Promise<void> => {
    const leave = await gate.enter('a', signal)
    came++
    most = Math.max(most, ++inside)
    await new Promise((resolve) => setImmediate(resolve))
    inside--
    leave()
  }
  await Promise.all(Array.from({ length: 20 }, visit))
  expect({ most, came, inside }).toEqual({ most: visitors, came: 20, inside: 0 })
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
  const gate = new HostGate({ visitors: 2, pauseMs: 0, stopsClock: false })
  const options = { resolver: resolverOf(), policy: DEFAULT_POLICY, evidence: [], gate, ...(dial && { dial }) }
  const sites = await Promise.all(Array.from({ length: 10 }, (_, i) => fetchSite(`http://a${i}.example.org/`, options)))
  await close()
  expect({ most, urls: [...new Set(sites.map(({ url }) => url))] }).toEqual({
    most: 2,
    urls: ['http://victim.example.com/'],
  })
})

test.each([
  ['a scan whose clock stands', true, 'http://a.example.org/'],
  ['a scan whose clock runs', false, 'deadline'],
])('a host that is never left: %s', async (_, stopsClock, outcome) => {
  const { dial, close } = await openScene((_url, response) => response.writeHead(200).end('<p>here'))
  const gate = new HostGate({ visitors: 1, pauseMs: 0, stopsClock })
  const leave = await gate.enter('a.example.org', signal)
  setTimeout(leave, 400)
  const policy = { ...DEFAULT_POLICY, deadlineMs: 200 }
  const options = { resolver: resolverOf(), policy, evidence: [], gate, ...(dial && { dial }) }
  const told = await fetchSite('http://a.example.org/', options).then(
    ({ url }) => url,
    ({ reason }) => reason,
  )
  await close()
  expect(told).toBe(outcome)
})
