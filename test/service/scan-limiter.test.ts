import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { ScanLimiter } from '../../src/service/scan-limiter.ts'
import { onePlan, openApp, scanOf, type TestApp } from '../http/app-fixture.ts'
import { pauseScans } from '../http/paused-scan.ts'
import { until } from '../support/until.ts'

type Bounds = ConstructorParameters<typeof ScanLimiter>[0]

/** The time that a scan may queue. */
const QUEUE_MS = 2000

// Time passes only where a test lets it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A limiter whose scans end on demand and are recorded in the order in which they start. */
function openQueue(bounds: Bounds) {
  const limiter = new ScanLimiter(bounds)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string, host: string): Promise<string> => {
    const run = async (): Promise<string> => {
      started.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    }
    const entered = limiter.run(host, run).catch((error: unknown) => {
      if (error instanceof ApiError) return `${name}: ${error.code}`
      throw error
    })
    return entered
  }
  const leave = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { limiter, started, enter, leave }
}

describe('the limiter', () => {
  test('limits concurrent scans; the others queue in FIFO order', async () => {
    const { limiter, started, enter, leave } = openQueue({ running: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void enter(name, name)
    await leave('none')
    expect([started, limiter.running, limiter.waiting]).toEqual([['a', 'b'], 2, 2])
    await leave('b')
    expect(started).toEqual(['a', 'b', 'c'])
    await leave('a')
    await leave('c')
    await leave('d')
    expect([started.at(-1), limiter.running, limiter.waiting]).toEqual(['d', 0, 0])
  })

  test('limits scans per host to two; scans of other hosts are not delayed', async () => {
    const { started, enter, leave } = openQueue({ running: 4 })
    for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1']) void enter(name, name[0])
    await leave('none')
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1'])
    await leave('b1')
    expect(started, 'a host at its limit does not use more slots').toHaveLength(4)
    await leave('a2')
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
    await leave('a1')
    expect(started.at(-1)).toBe('a4')
  })

  test('a scan fails immediately when the queue is full', async () => {
    const { enter } = openQueue({ running: 1, waiting: 2 })
    for (const name of ['a', 'b', 'c']) void enter(name, name)
    expect(await enter('d', 'd')).toBe('d: unavailable')
  })

  test('a scan that has queued too long fails and takes no slot', async () => {
    const { limiter, started, enter, leave } = openQueue({ running: 1, waitMs: 50 })
    const [first, second] = [enter('a', 'a'), enter('b', 'b')]
    await vi.advanceTimersByTimeAsync(49)
    expect(limiter.waiting).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await second).toBe('b: unavailable')
    await leave('a')
    expect([await first, started, limiter.running, limiter.waiting]).toEqual(['a', ['a'], 0, 0])
  })

  test('a failed scan releases its slot, and its error is passed on', async () => {
    const limiter = new ScanLimiter({ running: 1 })
    const fail = () => limiter.run('a', () => Promise.reject(new Error('mine')))
    for (let i = 0; i < 3; i++) await expect(fail()).rejects.toThrow('mine')
    expect([limiter.running, await limiter.run('a', async () => 1)]).toEqual([0, 1])
  })
})

describe('through HTTP', () => {
  const countWaiting = async ({ parts }: TestApp): Promise<number> => {
    const [, count] = /^siteprint_scans_waiting (\d+)$/m.exec(await parts.metrics.registry.metrics()) ?? []
    return Number(count)
  }

  test('a request without a slot for 2 s gets 503 without Retry-After and is not charged', async () => {
    const held = pauseScans()
    const app = await openApp({ settings: { ...onePlan(1000, 1000), scanConcurrency: 3 }, scan: held.scan })
    const { secret } = await app.newKey({ plan: 'free' })
    const ask = (url: string) => app.call({ url: scanOf(url), secret })
    const running = ['https://a.example.org/1', 'https://a.example.org/2', 'https://b.example.org'].map(ask)
    await until(held.count, 3)
    const queued = ['https://a.example.org/3', 'https://c.example.org'].map(ask)
    await until(() => countWaiting(app), 2)
    await vi.advanceTimersByTimeAsync(QUEUE_MS - 1)
    expect(await countWaiting(app)).toBe(2)
    await vi.advanceTimersByTimeAsync(1)
    for (const { status, body } of await Promise.all(queued)) {
      expect([status, body.code, body.error]).toEqual([
        503,
        'unavailable',
        'Too many scans are running. Try again in a moment.',
      ])
    }
    held.complete()
    for (const { status } of await Promise.all(running)) expect(status).toBe(200)
    expect((await app.call({ url: '/api/v1/me', secret })).body.requests_used).toBe(3)
  })

  test('of 131 concurrent requests with one slot, 128 queue and two fail immediately', async () => {
    const held = pauseScans()
    const app = await openApp({ settings: { ...onePlan(1000, 1000), scanConcurrency: 1 }, scan: held.scan })
    const { secret } = await app.newKey({ plan: 'free' })
    let rejected = 0
    const ask = async (_: unknown, i: number): Promise<number> => {
      const { status } = await app.call({ url: scanOf(`https://s${i}.example.org`), secret })
      if (status === 503) rejected++
      return status
    }
    const asked = Array.from({ length: 131 }, ask)
    await until(() => rejected, 2)
    expect([await countWaiting(app), rejected]).toEqual([128, 2])
    await vi.advanceTimersByTimeAsync(QUEUE_MS)
    await until(() => rejected, 130)
    held.complete()
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(1)
  })

  test('a cached response needs no slot', async () => {
    const held = pauseScans()
    const app = await openApp({ settings: { scanConcurrency: 1 }, scan: held.scan })
    const { secret } = await app.newKey()
    const first = app.call({ url: scanOf('https://a.example.org'), secret })
    await until(held.count, 1)
    held.complete()
    await first
    const other = app.call({ url: scanOf('https://b.example.org'), secret })
    await until(held.count, 1)
    expect((await app.call({ url: scanOf('https://a.example.org'), secret })).body.cached).toBe(true)
    held.complete()
    await other
  })
})
