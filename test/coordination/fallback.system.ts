import { setTimeout as sleep } from 'node:timers/promises'
import { nanoid } from 'nanoid'
import { createClient } from 'redis'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { withFallback } from '../../src/coordination/fallback.ts'
import { openMemory } from '../../src/coordination/memory.ts'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import type { SharedState } from '../../src/coordination/types.ts'
import { startRedis } from '../support/services.ts'
import { openLine } from '../support/silent-line.ts'
import { until } from '../support/until.ts'

const server = await startRedis('Redis with failures')
const url = server?.url ?? ''
const CLIENTS = 20
/**
 * Calls that each client completes at least during an outage of 1.5 seconds or more. Measured: 580. If each call waited for Redis, it
 * would be 23 at most, and without a time limit 1.
 */
const MIN_CALLS = 30

const open = async (
  at = url,
  observe?: (operation: string, seconds: number, ok: boolean) => void,
  silentMs?: number,
) => {
  const redis = await openRedis({ url: at, ...(silentMs !== undefined && { silentMs }) })
  const state = withFallback(redis, openMemory({ maxBytes: 1_000_000 }), { observe })
  opened.push(state)
  return state
}
const opened: SharedState[] = []

/** Runs clients that send one call after the other until they are stopped. */
function startLoad(state: SharedState, counter: string): { counts: () => number[]; stop: () => Promise<void> } {
  const counts = Array<number>(CLIENTS).fill(0)
  let isOn = true
  const run = async (_: number, client: number): Promise<void> => {
    while (isOn) {
      await state.countRequest({ counter, now: Date.now(), cost: 1, entry: counter, extras: true })
      counts[client]++
      await sleep(2)
    }
  }
  const runs = Promise.all(counts.map(run))
  const stop = async (): Promise<void> => {
    isOn = false
    await runs
  }
  return { counts: () => [...counts], stop }
}

const untilUp = (state: SharedState): Promise<void> => until(() => state.isUp, true)

/** The smallest number of calls that a client has completed in the meantime. */
const findFewest = (before: readonly number[], after: readonly number[]): number =>
  Math.min(...after.map((count, client) => count - before[client]))

const countAt = async (state: SharedState, counter: string, now: number): Promise<number> =>
  (await state.countRequest({ counter, now, cost: 1 })).count

afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()))
})
afterAll(() => server?.stop())

describe.skipIf(server === null)('Redis with failures', () => {
  test.each([
    ['briefly', 1500, undefined],
    ['until the connection is closed', 3500, 1500],
  ])('hung %s under load: calls are not delayed, and Redis is used again afterwards', async (_, hungMs, silentMs) => {
    const observed: string[] = []
    const observe = (operation: string, _: number, ok: boolean): void => void observed.push(`${operation} ${ok}`)
    const state = await open(url, observe, silentMs)
    const [now, counter] = [Date.now(), nanoid()]
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    const { counts, stop } = startLoad(state, nanoid())
    await until(() => Math.min(...counts()) > 0, true)
    server?.pause()
    const before = counts()
    await sleep(hungMs)
    expect(findFewest(before, counts())).toBeGreaterThan(MIN_CALLS)
    expect(state.isUp).toBe(false)
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    await until(() => observed.includes('try false'), true)
    server?.resume()
    await untilUp(state)
    await stop()
    expect(await countAt(state, counter, now)).toBe(3)
    expect(observed).toEqual(expect.arrayContaining(['take true', 'take false', 'try false', 'try true']))
  })

  test('hung: acquisitions get the lock, results are stored once Redis is back, and no call rejects', async () => {
    const state = await open()
    const entry = nanoid()
    const now = Date.now()
    server?.pause()
    const completion = { outcome: '{}', result: { at: now, result: '{}' } }
    const acquisitions = await Promise.all([1, 2].map(() => state.acquire(entry, { fresh: false, now })))
    expect(acquisitions.map(({ role }) => role)).toEqual(['lead', 'lead'])
    const tokens = acquisitions.map((one) => ('token' in one ? one.token : ''))
    expect(new Set(tokens).size).toBe(2)
    expect(await state.readOutcome(entry, tokens[0])).toBe('gone')
    await state.complete(entry, tokens[0], completion)
    expect(await state.countRequest({ counter: entry, now, cost: 1, entry })).toEqual({ count: 1, entry: null })
    server?.resume()
    await untilUp(state)
    expect((await state.countRequest({ counter: entry, now, cost: 1, entry })).entry).toEqual(completion.result)
  })

  test('hung while a scan completes: other nodes read its outcome once Redis is back', async () => {
    const [state, other] = [await open(), await open()]
    const [entry, now] = [nanoid(), Date.now()]
    const { token } = (await state.acquire(entry, { fresh: true, now })) as { token: string }
    expect(await other.acquire(entry, { fresh: true, now })).toEqual({ role: 'wait', token })
    server?.pause()
    await state.complete(entry, token, { outcome: '{"cause":"internal"}', result: null })
    server?.resume()
    await untilUp(state)
    expect(await other.readOutcome(entry, token)).toBe('{"cause":"internal"}')
    expect((await state.acquire(entry, { fresh: true, now })).role).toBe('lead')
  })

  test('full: Redis is not considered up while it rejects writes', async () => {
    const changes: unknown[] = []
    let probes = 0
    const options = {
      onChange: (isUp: boolean, why?: unknown) => changes.push([isUp, `${why}`.replace(/\..*/, '')]),
      observe: (operation: string) => operation === 'try' && probes++,
    }
    const state = withFallback(await openRedis({ url }), openMemory({ maxBytes: 1_000_000 }), options)
    opened.push(state)
    const client = await createClient({ url }).connect()
    await client.configSet('maxmemory', '1')
    await countAt(state, nanoid(), 0)
    await until(() => probes >= 2, true)
    expect(state.isUp).toBe(false)
    await client.configSet('maxmemory', '0')
    await client.close()
    await untilUp(state)
    expect(changes).toEqual([
      [false, expect.stringContaining("OOM command not allowed when used memory > 'maxmemory'")],
      [true, 'undefined'],
    ])
  })

  test('killed and restarted under load: calls are not delayed, and counts continue', async () => {
    const state = await open()
    const now = Date.now()
    for (const count of [1, 2, 3]) expect(await countAt(state, 'killed', now)).toBe(count)
    const { counts, stop } = startLoad(state, nanoid())
    await sleep(1200) // Redis writes to its log once a second.
    await server?.kill()
    const before = counts()
    await sleep(1500)
    expect(findFewest(before, counts())).toBeGreaterThan(MIN_CALLS)
    expect(state.isUp).toBe(false)
    expect(await countAt(state, 'killed', now)).toBe(1)
    await server?.restart()
    await untilUp(state)
    await stop()
    expect(await countAt(state, 'killed', now)).toBe(4)
  })

  test('down at the start: the fallback starts without Redis and uses it once it is up', async () => {
    await server?.kill()
    const state = await open()
    expect(state.isUp).toBe(false)
    expect(await countAt(state, 'late', Date.now())).toBe(1)
    await server?.restart()
    await untilUp(state)
    const fresh = await open()
    const counter = nanoid()
    expect([await countAt(state, counter, 0), await countAt(fresh, counter, 0)]).toEqual([1, 2])
  })

  test('a connection that becomes silent is replaced', async () => {
    const line = await openLine(Number(new URL(url).port))
    const state = await open(`redis://127.0.0.1:${line.port}`)
    const counter = nanoid()
    expect(await countAt(state, counter, 0)).toBe(1)
    line.silence()
    expect(await countAt(state, counter, 0), 'the count of this process').toBe(1)
    await untilUp(state)
    expect(await countAt(state, counter, 0)).toBe(2)
    await state.close()
    line.close()
  })

  test('closing does not wait for a server that hangs', async () => {
    const state = await open()
    server?.pause()
    await countAt(state, 'closing', 0)
    await state.close() // The server answers nothing before it continues.
    server?.resume()
  })
})
