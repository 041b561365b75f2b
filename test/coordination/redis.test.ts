import { nanoid } from 'nanoid'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import { CACHE_MS, type SharedState } from '../../src/coordination/types.ts'
import { startRedis } from '../support/services.ts'

// Of its own: scripts and statistics belong to a server as a whole.
const server = await startRedis('what stands in Redis')

describe.skipIf(server === null)('what stands in Redis', () => {
  const url = server?.url ?? ''
  const raw = createClient({ url })
  let state: SharedState
  beforeAll(async () => {
    await raw.connect()
    state = await openRedis({ url })
  })
  afterAll(async () => {
    await state.close()
    raw.destroy()
    await server?.stop()
  })

  const keysLike = (pattern: string): Promise<string[]> => raw.keys(pattern)
  const onlyKey = async (pattern: string): Promise<string> => {
    const keys = await keysLike(pattern)
    expect(keys).toHaveLength(1)
    return keys[0]
  }

  test('a count lives two minutes from its first request', async () => {
    const counter = nanoid()
    const now = 90_000_000
    await state.take({ counter, now, cost: 0 })
    expect(await keysLike(`*${counter}*`)).toEqual([])
    await state.take({ counter, now, cost: 1 })
    const key = await onlyKey(`*${counter}*`)
    expect(key).toBe(`siteprint:minute:${counter}:1500`)
    expect(await raw.get(key)).toBe('1')
    await raw.pExpire(key, 60_000)
    await state.take({ counter, now, cost: 1 })
    const leftMs = await raw.pTTL(key)
    expect(leftMs).toBeGreaterThan(50_000)
    expect(leftMs).toBeLessThanOrEqual(60_000)
    await raw.del(key)
    await state.take({ counter, now, cost: 1 })
    expect(await raw.pTTL(key)).toBeGreaterThan(110_000)
  })

  test('flight, outcome and result: how long each lives, and nothing of the site', async () => {
    await raw.flushDb()
    const entry = 'https://secret.example/path?token=abc 1.2.3'
    const boarding = await state.board(entry, { fresh: false, now: Date.now() })
    const token = 'token' in boarding ? boarding.token : ''
    const flight = await onlyKey('siteprint:flight:*')
    const flightMs = await raw.pTTL(flight)
    expect(flightMs).toBeGreaterThan(3000)
    expect(flightMs).toBeLessThanOrEqual(5000)
    const at = Date.now() - 1000
    await state.land(entry, token, { outcome: '{"a":1}', result: { at, result: '{}', extras: '[]' } })
    expect(await keysLike('siteprint:flight:*')).toEqual([])
    expect(await raw.pTTL(`siteprint:outcome:${token}`)).toBeGreaterThan(3000)
    expect(await raw.pTTL(`siteprint:outcome:${token}`)).toBeLessThanOrEqual(5000)
    const kept = await onlyKey('siteprint:entry:*')
    expect(await raw.pExpireTime(kept)).toBe(at + CACHE_MS)
    expect({ ...(await raw.hGetAll(kept)) }).toEqual({ at: `${at}`, result: '{}', extras: '[]' })
    expect(kept).toMatch(/^siteprint:entry:[\w-]{43}$/)
    expect(flight.split(':')[2]).toBe(kept.split(':')[2])
    expect((await keysLike('*')).join()).not.toMatch(/secret|example|abc/)
  })

  test('a server that has forgotten the scripts is told them again, counting nothing twice', async () => {
    const counter = nanoid()
    const now = Date.now()
    const take = () => state.take({ counter, now, cost: 1 })
    await take()
    await raw.scriptFlush()
    const counts = await Promise.all(Array.from({ length: 1200 }, take))
    expect(Math.max(...counts.map(({ count }) => count))).toBe(1201)
    await raw.scriptFlush()
    expect((await state.board(nanoid(), { fresh: false, now })).role).toBe('lead')
  })

  test('all takes of one turn are one command, more than 500 are several', async () => {
    const calls = async (): Promise<number> => {
      const stats = await raw.info('commandstats')
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    await state.take({ counter: nanoid(), now: Date.now(), cost: 1 })
    await raw.configResetStat()
    await Promise.all(Array.from({ length: 1001 }, (_, i) => state.take({ counter: `${i}`, now: Date.now(), cost: 1 })))
    expect(await calls()).toBe(3)
  })

  test('a refusal of Redis reaches each caller', async () => {
    const counter = nanoid()
    const now = Date.now()
    await raw.hSet(`siteprint:minute:${counter}:${Math.floor(now / 60_000)}`, 'not', 'a count')
    const settled = await Promise.allSettled([
      state.take({ counter, now, cost: 1 }),
      state.take({ counter: nanoid(), now, cost: 1 }),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await state.take({ counter: nanoid(), now, cost: 1 })).count).toBe(1)
  })
})

test('where no Redis listens it opens, says so, and is not up', async () => {
  const errors: string[] = []
  const start = performance.now()
  const state = await openRedis({ url: 'redis://:secret@127.0.0.1:1', onError: ({ message }) => errors.push(message) })
  expect(performance.now() - start).toBeLessThan(3000)
  expect(state.isUp).toBe(false)
  await expect(state.take({ counter: 'a', now: 0, cost: 1 })).rejects.toThrow()
  await expect(state.board('a', { fresh: false, now: 0 })).rejects.toThrow()
  expect(errors.join()).toMatch(/ECONNREFUSED/)
  expect(errors.join()).not.toMatch(/secret/)
  await state.close()
  await state.close()
})
