import { nanoid } from 'nanoid'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openRedis } from '../../src/coordination/redis/redis.ts'
import { CACHE_MS, type SharedState } from '../../src/coordination/types.ts'
import { startRedis } from '../support/services.ts'

// A separate server, because scripts and statistics are shared by all its databases.
const server = await startRedis('data stored in Redis')

describe.skipIf(server === null)('data stored in Redis', () => {
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

  test('a count expires two minutes after its first request', async () => {
    const counter = nanoid()
    const now = 90_000_000
    await state.countRequest({ counter, now, cost: 0 })
    expect(await keysLike(`*${counter}*`)).toEqual([])
    await state.countRequest({ counter, now, cost: 1 })
    const key = await onlyKey(`*${counter}*`)
    expect(key).toBe(`siteprint:minute:${counter}:1500`)
    expect(await raw.get(key)).toBe('1')
    await raw.pExpire(key, 60_000)
    await state.countRequest({ counter, now, cost: 1 })
    const leftMs = await raw.pTTL(key)
    expect(leftMs).toBeGreaterThan(50_000)
    expect(leftMs).toBeLessThanOrEqual(60_000)
    await raw.del(key)
    await state.countRequest({ counter, now, cost: 1 })
    expect(await raw.pTTL(key)).toBeGreaterThan(110_000)
  })

  test('a count of a day expires a minute after the day', async () => {
    const counter = nanoid()
    await state.countRequest({ counter, now: 2 * 86_400_000, window: 'day', cost: 1, entry: 'a', extras: true })
    expect(await onlyKey(`*${counter}*`)).toBe(`siteprint:day:${counter}:2`)
    const leftMs = await raw.pTTL(`siteprint:day:${counter}:2`)
    expect(leftMs).toBeGreaterThan(86_400_000)
    expect(leftMs).toBeLessThanOrEqual(86_460_000)
  })

  test('lock, outcome and result each expire, and their keys do not reveal the site', async () => {
    await raw.flushDb()
    const entry = 'https://secret.example/path?token=abc 1.2.3'
    const acquisition = await state.acquire(entry, { fresh: false, now: Date.now() })
    const token = 'token' in acquisition ? acquisition.token : ''
    const lock = await onlyKey('siteprint:flight:*')
    const lockMs = await raw.pTTL(lock)
    expect(lockMs).toBeGreaterThan(3000)
    expect(lockMs).toBeLessThanOrEqual(5000)
    const at = Date.now() - 1000
    await state.complete(entry, token, { outcome: '{"a":1}', result: { at, result: '{}', extras: '[]' } })
    expect(await keysLike('siteprint:flight:*')).toEqual([])
    expect(await raw.pTTL(`siteprint:outcome:${token}`)).toBeGreaterThan(3000)
    expect(await raw.pTTL(`siteprint:outcome:${token}`)).toBeLessThanOrEqual(5000)
    const stored = await onlyKey('siteprint:entry:*')
    expect(await raw.pExpireTime(stored)).toBe(at + CACHE_MS)
    expect({ ...(await raw.hGetAll(stored)) }).toEqual({ at: `${at}`, result: '{}', extras: '[]' })
    expect(stored).toMatch(/^siteprint:entry:[\w-]{43}$/)
    expect(lock.split(':')[2]).toBe(stored.split(':')[2])
    expect((await keysLike('*')).join()).not.toMatch(/secret|example|abc/)
  })

  test('a server without cached scripts receives them again, and nothing is counted twice', async () => {
    const counter = nanoid()
    const now = Date.now()
    const countRequest = () => state.countRequest({ counter, now, cost: 1 })
    await countRequest()
    await raw.scriptFlush()
    const counts = await Promise.all(Array.from({ length: 1200 }, countRequest))
    expect(Math.max(...counts.map(({ count }) => count))).toBe(1201)
    await raw.scriptFlush()
    expect((await state.acquire(nanoid(), { fresh: false, now })).role).toBe('lead')
  })

  test('all requests of one turn of the event loop are one command for every 500', async () => {
    const calls = async (): Promise<number> => {
      const stats = await raw.info('commandstats')
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
    }
    await state.countRequest({ counter: nanoid(), now: Date.now(), cost: 1 })
    await raw.configResetStat()
    await Promise.all(
      Array.from({ length: 1001 }, (_, i) => state.countRequest({ counter: `${i}`, now: Date.now(), cost: 1 })),
    )
    expect(await calls()).toBe(3)
  })

  test('an error reply of Redis rejects every call of the batch', async () => {
    const counter = nanoid()
    const now = Date.now()
    await raw.hSet(`siteprint:minute:${counter}:${Math.floor(now / 60_000)}`, 'not', 'a count')
    const settled = await Promise.allSettled([
      state.countRequest({ counter, now, cost: 1 }),
      state.countRequest({ counter: nanoid(), now, cost: 1 }),
    ])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect((await state.countRequest({ counter: nanoid(), now, cost: 1 })).count).toBe(1)
  })
})

test('without a Redis server it opens, reports the error, and is not up', async () => {
  const errors: string[] = []
  // It does not wait for a connection, which never comes.
  const state = await openRedis({ url: 'redis://:secret@127.0.0.1:1', onError: ({ message }) => errors.push(message) })
  expect(state.isUp).toBe(false)
  await expect(state.countRequest({ counter: 'a', now: 0, cost: 1 })).rejects.toThrow()
  await expect(state.acquire('a', { fresh: false, now: 0 })).rejects.toThrow()
  expect(errors.join()).toMatch(/ECONNREFUSED/)
  expect(errors.join()).not.toMatch(/secret/)
  await state.close()
  await state.close()
})
