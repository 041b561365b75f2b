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

const server = await startRedis('Redis with failures')
const url = server?.url ?? ''
/** Delay that a call may have while Redis is down, with tolerance for a busy machine. */
const ADDED_MS = 300
/** Maximum duration of a call that does not wait for Redis. */
const IMMEDIATE_S = 0.1
const RETURN_MS = 3000
/** Maximum time until a silent connection is closed and replaced. */
const SILENT_MS = 8000

const open = async (at = url, observe?: (operation: string, seconds: number, ok: boolean) => void) => {
  const state = withFallback(await openRedis({ url: at }), openMemory({ maxBytes: 1_000_000 }), { observe })
  opened.push(state)
  return state
}
const opened: SharedState[] = []

/** Sends 20 concurrent calls at a time until it is stopped. Returns the milliseconds that each call took. */
function startLoad(state: SharedState, counter: string): { stop: () => Promise<number[]> } {
  const took: number[] = []
  let isOn = true
  const run = async (): Promise<void> => {
    while (isOn) {
      const start = performance.now()
      await state.countRequest({ counter, now: Date.now(), cost: 1, entry: counter, extras: true })
      took.push(performance.now() - start)
      await sleep(2)
    }
  }
  const runs = Promise.all(Array.from({ length: 20 }, run))
  const stop = async (): Promise<number[]> => {
    isOn = false
    await runs
    return took
  }
  return { stop }
}

/** Returns the milliseconds until it is up. */
async function untilUp(state: SharedState): Promise<number> {
  const start = performance.now()
  while (!state.isUp && performance.now() - start < 20_000) await sleep(10)
  return performance.now() - start
}

const countAt = async (state: SharedState, counter: string, now: number): Promise<number> =>
  (await state.countRequest({ counter, now, cost: 1 })).count

afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()))
})
afterAll(() => server?.stop())

describe.skipIf(server === null)('Redis with failures', () => {
  test.each([
    ['briefly', 1500],
    ['until the connection is closed', 5500],
  ])('hung %s under load: calls are not delayed, and Redis is used again soon afterwards', async (_, hungMs) => {
    const observed: string[] = []
    let waited = 0
    const state = await open(url, (operation, seconds, ok) => {
      observed.push(`${operation} ${ok}`)
      if (operation === 'take' && !ok && seconds > IMMEDIATE_S) waited++
    })
    const [now, counter] = [Date.now(), nanoid()]
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    const { stop } = startLoad(state, nanoid())
    await sleep(200)
    server?.pause()
    const before = waited
    await sleep(hungMs)
    expect(state.isUp).toBe(false)
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    server?.resume()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
    // Only the calls in progress wait. No other call does, not even to detect the failure.
    expect(waited - before).toBeLessThanOrEqual(20)
    expect(Math.max(...(await stop()))).toBeLessThan(ADDED_MS)
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
    const options = { onChange: (isUp: boolean, why?: unknown) => changes.push([isUp, `${why}`.replace(/\..*/, '')]) }
    const state = withFallback(await openRedis({ url }), openMemory({ maxBytes: 1_000_000 }), options)
    opened.push(state)
    const client = await createClient({ url }).connect()
    await client.configSet('maxmemory', '1')
    for (let i = 0; i < 3; i++) {
      await countAt(state, nanoid(), 0)
      await sleep(1100)
    }
    expect(state.isUp).toBe(false)
    await client.configSet('maxmemory', '0')
    await client.close()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
    expect(changes).toEqual([
      [false, expect.stringContaining("OOM command not allowed when used memory > 'maxmemory'")],
      [true, 'undefined'],
    ])
  })

  test('killed and restarted under load: calls are not delayed, and counts continue', async () => {
    const state = await open()
    const now = Date.now()
    for (const count of [1, 2, 3]) expect(await countAt(state, 'killed', now)).toBe(count)
    const { stop } = startLoad(state, nanoid())
    await sleep(1200) // Redis writes to its log once a second.
    await server?.kill()
    await sleep(1500)
    expect(state.isUp).toBe(false)
    expect(await countAt(state, 'killed', now)).toBe(1)
    await server?.restart()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
    expect(Math.max(...(await stop()))).toBeLessThan(ADDED_MS)
    expect(await countAt(state, 'killed', now)).toBe(4)
  })

  test('down at the start: the fallback starts without Redis and uses it once it is up', async () => {
    await server?.kill()
    const state = await open()
    expect(state.isUp).toBe(false)
    expect(await countAt(state, 'late', Date.now())).toBe(1)
    await server?.restart()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
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
    const start = performance.now()
    expect(await countAt(state, counter, 0)).toBe(1)
    expect(performance.now() - start).toBeLessThan(ADDED_MS)
    expect(await untilUp(state)).toBeLessThan(SILENT_MS)
    expect(await countAt(state, counter, 0)).toBe(2)
    await state.close()
    line.close()
  })

  test('closing does not wait for a server that hangs', async () => {
    const state = await open()
    server?.pause()
    await countAt(state, 'closing', 0)
    const start = performance.now()
    await state.close()
    expect(performance.now() - start).toBeLessThan(2000)
    server?.resume()
  })
})
