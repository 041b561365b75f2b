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

const server = await startRedis('Redis that fails')
const url = server?.url ?? ''
/** What a caller may lose while Redis is away, with room for a busy machine. */
const ADDED_MS = 300
/** What a call takes at most that does not wait for Redis. */
const AT_ONCE_S = 0.1
const RETURN_MS = 3000
/** Until a connection that says nothing is given up, and the next is tried. */
const SILENT_MS = 8000

const open = async (at = url, observe?: (operation: string, seconds: number, ok: boolean) => void) => {
  const state = withFallback(await openRedis({ url: at }), openMemory({ maxBytes: 1_000_000 }), { observe })
  opened.push(state)
  return state
}
const opened: SharedState[] = []

/** Asks without a pause, 20 at once, until it is stopped; gives the milliseconds that each call took. */
function load(state: SharedState, counter: string): { stop: () => Promise<number[]> } {
  const took: number[] = []
  let isOn = true
  const run = async (): Promise<void> => {
    while (isOn) {
      const start = performance.now()
      await state.take({ counter, now: Date.now(), cost: 1, entry: counter, extras: true })
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

/** Milliseconds until it is up. */
async function untilUp(state: SharedState): Promise<number> {
  const start = performance.now()
  while (!state.isUp && performance.now() - start < 20_000) await sleep(10)
  return performance.now() - start
}

const countAt = async (state: SharedState, counter: string, now: number): Promise<number> =>
  (await state.take({ counter, now, cost: 1 })).count

afterEach(async () => {
  await Promise.all(opened.splice(0).map((state) => state.close()))
})
afterAll(() => server?.stop())

describe.skipIf(server === null)('Redis that fails', () => {
  test.each([
    ['shortly', 1500],
    ['until the connection is given up', 5500],
  ])('hung under load %s: nobody waits long, and all is back soon after it', async (_, hungMs) => {
    const told: string[] = []
    let waited = 0
    const state = await open(url, (operation, seconds, ok) => {
      told.push(`${operation} ${ok}`)
      if (operation === 'take' && !ok && seconds > AT_ONCE_S) waited++
    })
    const [now, counter] = [Date.now(), nanoid()]
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    const { stop } = load(state, nanoid())
    await sleep(200)
    server?.pause()
    const before = waited
    await sleep(hungMs)
    expect(state.isUp).toBe(false)
    expect([await countAt(state, counter, now), await countAt(state, counter, now)]).toEqual([1, 2])
    server?.resume()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
    // Those that were under way: nobody else waits, not even to find out.
    expect(waited - before).toBeLessThanOrEqual(20)
    expect(Math.max(...(await stop()))).toBeLessThan(ADDED_MS)
    expect(await countAt(state, counter, now)).toBe(3)
    expect(told).toEqual(expect.arrayContaining(['take true', 'take false', 'try false', 'try true']))
  })

  test('hung: flights are led here, results are kept once it is back, and nothing rejects', async () => {
    const state = await open()
    const entry = nanoid()
    const now = Date.now()
    server?.pause()
    const end = { outcome: '{}', result: { at: now, result: '{}' } }
    const boardings = await Promise.all([1, 2].map(() => state.board(entry, { fresh: false, now })))
    expect(boardings.map(({ role }) => role)).toEqual(['lead', 'lead'])
    const tokens = boardings.map((boarding) => ('token' in boarding ? boarding.token : ''))
    expect(new Set(tokens).size).toBe(2)
    expect(await state.outcomeOf(entry, tokens[0])).toBe('gone')
    await state.land(entry, tokens[0], end)
    expect(await state.take({ counter: entry, now, cost: 1, entry })).toEqual({ count: 1, entry: null })
    server?.resume()
    await untilUp(state)
    expect((await state.take({ counter: entry, now, cost: 1, entry })).entry).toEqual(end.result)
  })

  test('hung while a flight ends that it knows of: nobody waits for that flight any more', async () => {
    const [state, other] = [await open(), await open()]
    const [entry, now] = [nanoid(), Date.now()]
    const { token } = (await state.board(entry, { fresh: true, now })) as { token: string }
    expect(await other.board(entry, { fresh: true, now })).toEqual({ role: 'wait', token })
    server?.pause()
    await state.land(entry, token, { outcome: '{"cause":"internal"}', result: null })
    server?.resume()
    await untilUp(state)
    expect(await other.outcomeOf(entry, token)).toBe('{"cause":"internal"}')
    expect((await state.board(entry, { fresh: true, now })).role).toBe('lead')
  })

  test('full: it is not taken for well while it refuses to write', async () => {
    const told: unknown[] = []
    const options = { onChange: (isUp: boolean, why?: unknown) => told.push([isUp, `${why}`.replace(/\..*/, '')]) }
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
    expect(told).toEqual([
      [false, expect.stringContaining("OOM command not allowed when used memory > 'maxmemory'")],
      [true, 'undefined'],
    ])
  })

  test('killed and restarted under load: nobody waits long, and counts go on', async () => {
    const state = await open()
    const now = Date.now()
    for (const count of [1, 2, 3]) expect(await countAt(state, 'killed', now)).toBe(count)
    const { stop } = load(state, nanoid())
    await sleep(1200) // Redis writes once a second.
    await server?.kill()
    await sleep(1500)
    expect(state.isUp).toBe(false)
    expect(await countAt(state, 'killed', now)).toBe(1)
    await server?.restart()
    expect(await untilUp(state)).toBeLessThan(RETURN_MS)
    expect(Math.max(...(await stop()))).toBeLessThan(ADDED_MS)
    expect(await countAt(state, 'killed', now)).toBe(4)
  })

  test('away at the start: the service begins without it, and finds it', async () => {
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

  test('a connection that falls silent is replaced', async () => {
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
