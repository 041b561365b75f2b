import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type GuardedStore, guardStore } from '../../../src/store/guard.ts'
import { withKeyCache } from '../../../src/store/mongo/key-cache.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'
import { newFolder } from '../open-stores.ts'
import { sampleKey, sampleSecret } from '../sample-key.ts'

// Any store will do, so these tests also run without MongoDB.
describe('the key cache', () => {
  let store: GuardedStore
  let lookups = 0
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    const observe = (operation: string): void => void (operation === 'findKey' && lookups++)
    const inner = await openSqlite({ folder: newFolder(), role: 'server' })
    store = withKeyCache(guardStore(inner, { timeoutMs: 5000, observe }))
  })
  afterEach(() => store.close())

  /** The number of lookups that reach the store when a secret is looked up 3 times, twice of them concurrently. */
  async function countLookups(hash: string): Promise<number> {
    const before = lookups
    await Promise.all([store.keys.findKey(hash), store.keys.findKey(hash)])
    await store.keys.findKey(hash)
    return lookups - before
  }

  test('concurrent and later lookups of a usable key share one call', async () => {
    const key = sampleKey()
    await store.keys.createKey(key)
    expect(await countLookups(key.secrets[0].hash)).toBe(1)
    expect(await store.keys.findKey(key.secrets[0].hash)).toEqual(key)
  })

  test.each([
    ['an unknown key', null],
    ['a revoked key', { revokedAt: new Date(0) }],
    ['an expired secret', { secrets: [sampleSecret(new Date(0))] }],
  ])('%s is not cached', async (_, change) => {
    const key = sampleKey(change ?? {})
    if (change !== null) await store.keys.createKey(key)
    expect(await countLookups(key.secrets[0].hash)).toBe(2)
  })

  test('a secret that expires while it is cached is looked up again', async () => {
    const key = sampleKey({ secrets: [sampleSecret(new Date(Date.now() + 300))] })
    await store.keys.createKey(key)
    expect(await countLookups(key.secrets[0].hash)).toBe(1)
    vi.advanceTimersByTime(300)
    expect(await countLookups(key.secrets[0].hash)).toBe(2)
  })

  test('a cached key is found while the store is down, for at most 4 s', async () => {
    const key = sampleKey()
    await store.keys.createKey(key)
    await store.keys.findKey(key.secrets[0].hash)
    await store.close()
    await expect(store.ping()).rejects.toThrow('the store is closed')
    expect(store.isUp).toBe(false)
    expect(await store.keys.findKey(key.secrets[0].hash)).toEqual(key)
    vi.advanceTimersByTime(3999)
    expect(await store.keys.findKey(key.secrets[0].hash)).toEqual(key)
    vi.advanceTimersByTime(1)
    await expect(store.keys.findKey(key.secrets[0].hash)).rejects.toThrow('the store is down')
  })
})
