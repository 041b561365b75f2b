import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { ScanLimiter } from '../../src/scan/scan-limiter.ts'
import { onePlan, openHost, scanOf } from '../http/app-fixture.ts'
import { heldScan } from '../http/held-scan.ts'
import { until } from '../support/until.ts'

type Bounds = ConstructorParameters<typeof ScanLimiter>[0]

/** Scans that end when told to; which of them run, in the order of their beginning. */
function openQueue(bounds: Bounds) {
  const admission = new ScanLimiter(bounds)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const enter = (name: string, host: string): Promise<string> => {
    const run = async (): Promise<string> => {
      begun.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    }
    const entered = admission.run(host, run).catch((error: unknown) => {
      if (error instanceof ApiError) return `${name}: ${error.code}`
      throw error
    })
    return entered
  }
  const leave = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { admission, begun, enter, leave }
}

describe('admission', () => {
  test('so many run at once, the others in the order in which they came', async () => {
    const { admission, begun, enter, leave } = openQueue({ running: 2 })
    for (const name of ['a', 'b', 'c', 'd']) void enter(name, name)
    await leave('nobody')
    expect([begun, admission.running, admission.waiting]).toEqual([['a', 'b'], 2, 2])
    await leave('b')
    expect(begun).toEqual(['a', 'b', 'c'])
    await leave('a')
    await leave('c')
    await leave('d')
    expect([begun.at(-1), admission.running, admission.waiting]).toEqual(['d', 0, 0])
  })

  test('two of one host; those of others pass them', async () => {
    const { begun, enter, leave } = openQueue({ running: 4 })
    for (const name of ['a1', 'a2', 'a3', 'b1', 'a4', 'c1']) void enter(name, name[0])
    await leave('nobody')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1'])
    await leave('b1')
    expect(begun, 'a host that is busy does not hold the place').toHaveLength(4)
    await leave('a2')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3'])
    await leave('a1')
    expect(begun.at(-1)).toBe('a4')
  })

  test('one more than may wait is told at once', async () => {
    const { enter } = openQueue({ running: 1, waiting: 2 })
    for (const name of ['a', 'b', 'c']) void enter(name, name)
    const start = performance.now()
    expect(await enter('d', 'd')).toBe('d: unavailable')
    expect(performance.now() - start).toBeLessThan(1500)
  })

  test('who waited long enough is told, and takes no place', async () => {
    const { admission, begun, enter, leave } = openQueue({ running: 1, waitMs: 50 })
    const [first, second] = [enter('a', 'a'), enter('b', 'b')]
    expect(await second).toBe('b: unavailable')
    await leave('a')
    expect([await first, begun, admission.running, admission.waiting]).toEqual(['a', ['a'], 0, 0])
  })

  test('a scan that fails gives its place back, and its error goes on', async () => {
    const admission = new ScanLimiter({ running: 1 })
    const fail = () => admission.run('a', () => Promise.reject(new Error('mine')))
    for (let i = 0; i < 3; i++) await expect(fail()).rejects.toThrow('mine')
    expect([admission.running, await admission.run('a', async () => 1)]).toEqual([0, 1])
  })
})

describe('through HTTP', () => {
  test('who finds no room for 2 s gets 503, is not charged, and says nothing of Retry-After', async () => {
    const held = heldScan()
    const host = await openHost({ settings: { ...onePlan(1000, 1000), scanConcurrency: 3 }, scan: held.scan })
    const { secret } = await host.newKey({ plan: 'free' })
    const ask = (url: string) => host.call({ url: scanOf(url), secret })
    const running = ['https://a.example.org/1', 'https://a.example.org/2', 'https://b.example.org'].map(ask)
    await until(held.count, 3)
    const start = performance.now()
    const refused = await Promise.all(['https://a.example.org/3', 'https://c.example.org'].map(ask))
    const waitedMs = performance.now() - start
    for (const { status, body } of refused) {
      expect([status, body.code, body.error]).toEqual([
        ...[503, 'unavailable', 'Too many scans are running. Try again in a moment.'],
      ])
    }
    expect(waitedMs).toBeGreaterThan(1900)
    expect(waitedMs).toBeLessThan(15_000)
    held.land()
    for (const { status } of await Promise.all(running)) expect(status).toBe(200)
    expect((await host.call({ url: '/api/v1/me', secret })).body.requests_used).toBe(3)
  })

  test('131 at once where one may run: 128 wait, the others are told at once', async () => {
    const held = heldScan()
    const host = await openHost({ settings: { ...onePlan(1000, 1000), scanConcurrency: 1 }, scan: held.scan })
    const { secret } = await host.newKey({ plan: 'free' })
    const start = performance.now()
    const refusedAt: number[] = []
    const ask = async (_: unknown, i: number): Promise<number> => {
      const { status } = await host.call({ url: scanOf(`https://s${i}.example.org`), secret })
      if (status === 503) refusedAt.push(performance.now() - start)
      return status
    }
    const asked = Array.from({ length: 131 }, ask)
    await until(() => refusedAt.length >= 2, true)
    const gauges = await host.parts.metrics.registry.metrics()
    expect(gauges).toContain('siteprint_scans_waiting 128\n')
    expect(refusedAt).toHaveLength(2)
    // The others have waited for 2 s in vain.
    await until(() => refusedAt.length, 130)
    held.land()
    expect((await Promise.all(asked)).filter((status) => status === 200)).toHaveLength(1)
  })

  test('a cached answer needs no room', async () => {
    const held = heldScan()
    const host = await openHost({ settings: { scanConcurrency: 1 }, scan: held.scan })
    const { secret } = await host.newKey()
    const first = host.call({ url: scanOf('https://a.example.org'), secret })
    await until(held.count, 1)
    held.land()
    await first
    const other = host.call({ url: scanOf('https://b.example.org'), secret })
    await until(held.count, 1)
    expect((await host.call({ url: scanOf('https://a.example.org'), secret })).body.cached).toBe(true)
    held.land()
    await other
  })
})
