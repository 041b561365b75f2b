import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { guardStore } from '../../src/store/guard.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { type Charge, type Store, StoreError } from '../../src/store/types.ts'
import { newFolder } from './open-stores.ts'
import { sampleKey } from './sample-key.ts'

const buildCharge = (key: string): Charge => ({ counter: key, day: '2026-05-17', quota: 1e6, at: new Date(0) })

/** Records every observed call, as `charge ok` or `charge failed`. */
function buildObserver() {
  const observed: string[] = []
  const seconds: number[] = []
  const observe = (operation: string, took: number, ok: boolean): void => {
    observed.push(`${operation} ${ok ? 'ok' : 'failed'}`)
    seconds.push(took)
  }
  return { observed, seconds, observe }
}

const expectFailure = (call: Promise<unknown>): Promise<void> => expect(call).rejects.toBeInstanceOf(StoreError)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(async () => {
  // The timeouts of this thread share a timer, which ends when nothing is pending.
  await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()
})

describe('a store of this process', () => {
  test('is observed, without a timeout or a circuit breaker', async () => {
    const { observed, observe } = buildObserver()
    const folder = newFolder()
    const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null, observe })
    const key = sampleKey()
    await store.keys.createKey(key)
    await expect(store.keys.createKey(key)).rejects.toThrow()
    expect(await store.usage.charge(buildCharge(key.id))).toBe(1)
    expect(store.isUp).toBe(true)
    await store.close()
    for (let n = 0; n < 3; n++) await expectFailure(store.keys.getKey(key.id))
    expect(store.isUp).toBe(true)
    expect(observed).toEqual(['createKey ok', 'createKey failed', 'charge ok', ...Array(3).fill('getKey failed')])
  })

  test('that cannot be written is down with the reason until it can be, and still answers reads', async () => {
    const changes: unknown[] = []
    const onChange = (isUp: boolean, why?: unknown): void => void changes.push([isUp, String(why)])
    const folder = newFolder()
    const sqlite = await openSqlite({ folder, role: 'server' })
    // Writes do not wait for the lock of another process.
    if (sqlite.authDatabase.kind === 'sqlite') sqlite.authDatabase.db.exec('PRAGMA busy_timeout = 0')
    const store = guardStore(sqlite, { timeoutMs: null, onChange })
    const key = sampleKey()
    await store.keys.createKey(key)
    const other = new Database(join(folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    await expectFailure(store.usage.charge(buildCharge(key.id)))
    // Longer than two probes, with and without errors.
    for (let i = 0; i < 15; i++) {
      await vi.advanceTimersByTimeAsync(100)
      await expectFailure(store.usage.charge(buildCharge(key.id)))
      expect(await store.keys.getKey(key.id)).toEqual(key)
      expect(store.isUp).toBe(false)
    }
    await vi.advanceTimersByTimeAsync(2500)
    expect([store.isUp, changes]).toEqual([false, [[false, expect.stringContaining('SQLITE_BUSY')]]])
    other.exec('ROLLBACK')
    other.close()
    await vi.advanceTimersByTimeAsync(1000)
    await vi.waitFor(() => expect(store.isUp).toBe(true), 30_000)
    expect(changes.slice(1)).toEqual([[true, 'undefined']])
    expect(await store.usage.charge(buildCharge(key.id))).toBe(1)
    await store.close()
  })

  test('passes every call on and reports it under the name that the metric has', async () => {
    const { observed, observe } = buildObserver()
    const store = guardStore(await openSqlite({ folder: newFolder(), role: 'server' }), { timeoutMs: 800, observe })
    const key = sampleKey()
    const { id, secrets } = key
    const now = new Date(5)
    const use = { counter: id, day: '2026-05-17', at: now }
    const newer = sampleKey().secrets[0]
    await store.keys.createKey(key)
    expect(await store.keys.findKey(secrets[0].hash)).toEqual(key)
    expect(await store.keys.rotateKey(id, { secret: newer, oldEndAt: now, now })).toBe(true)
    expect(await store.keys.setPlan(id, 'pro')).toBe(true)
    expect(await store.keys.revokeKey(id, now)).toBe(true)
    const changed = { ...key, plan: 'pro', revokedAt: now, secrets: [newer, { ...secrets[0], expiresAt: now }] }
    expect(await store.keys.getKey(id)).toEqual(changed)
    expect(await store.keys.listKeys()).toEqual([changed])
    expect([await store.usage.charge({ ...use, quota: 1 }), await store.usage.charge({ ...use, quota: 1 })]).toEqual([
      1,
      null,
    ])
    expect([
      await store.usage.touch(use),
      await store.usage.usedBy(id, '2026-05'),
      await store.usage.lastUsed(id),
    ]).toEqual([1, 1, now])
    await store.settings.setSwitches({ apiOff: true })
    expect(await store.settings.switches()).toEqual({ maintenance: false, apiOff: true })
    expect([await store.settings.putIfAbsent('a', 'b'), await store.settings.putIfAbsent('a', 'c')]).toEqual(['b', 'b'])
    await store.ping()
    // The label `operation` of `siteprint_store_seconds`, on which operators build dashboards.
    const keys = ['createKey', 'findKey', 'rotateKey', 'setPlan', 'revokeKey', 'getKey', 'listKeys']
    const usage = ['charge', 'touch', 'usedBy', 'lastUsed']
    const settings = ['setSwitches', 'switches', 'keepOnce']
    const operations = [keys, usage, settings, 'ping'].flat()
    expect([...new Set(observed)]).toEqual(operations.map((name) => `${name} ok`))
    await store.close()
    await expectFailure(store.ping())
    expect(store.isUp).toBe(false)
  })
})

describe('a remote store', () => {
  /** A store whose calls succeed, fail, or hang until they are answered. */
  function openRemote(timeoutMs = 800) {
    let answer = async (): Promise<unknown> => 1
    const remote = {
      keys: { getKey: () => answer() },
      usage: { charge: () => answer() },
      accounts: {},
      audit: {},
      settings: {},
      batches: {},
      ping: () => answer(),
      close: async () => {},
    } as unknown as Store
    const changes: string[] = []
    const onChange = (isUp: boolean, why?: unknown): void =>
      void changes.push(isUp ? 'up' : `down: ${(why as Error).message}`)
    const { observed, seconds, observe } = buildObserver()
    const store = guardStore(remote, { timeoutMs, observe, onChange })
    const set = (next: typeof answer): void => {
      answer = next
    }
    return { store, set, changes, observed, seconds }
  }

  test('that hangs: calls fail at their time limit, then at once, and succeed after a probe', async () => {
    const { store, set, changes, observed, seconds } = openRemote()
    const { promise: back, resolve } = createDeferred<number>()
    set(() => back)
    const ends: string[] = []
    const call = (): Promise<unknown> =>
      store.usage.charge(buildCharge('key')).catch((error) => ends.push(error.message))
    for (let i = 0; i < 3; i++) void call()
    await vi.advanceTimersByTimeAsync(790)
    expect([ends, store.isUp]).toEqual([[], true])
    await vi.advanceTimersByTimeAsync(20)
    expect([ends, store.isUp]).toEqual([Array(3).fill('no answer within 800 ms'), false])
    for (const one of seconds) expect(one).toBeCloseTo(0.8, 1)
    await call()
    expect([ends.at(-1), seconds.at(-1)]).toEqual(['the store is down', 0])
    // A probe hangs, too, fails at its own time limit, and is repeated a second later.
    await vi.advanceTimersByTimeAsync(1810)
    await call()
    expect([ends.at(-1), store.isUp]).toEqual(['the store is down', false])
    set(async () => 1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(await store.usage.charge(buildCharge('key'))).toBe(1)
    expect(changes).toEqual(['down: no answer within 800 ms', 'up'])
    expect(observed).toEqual([...Array(5).fill('charge failed'), 'charge ok'])
    resolve(1)
    await store.close()
  })

  test('that rejects a request stays up, unless the error is one of the store', async () => {
    const { store, set, changes } = openRemote()
    set(() => Promise.reject(new TypeError('an invalid request')))
    await expect(store.keys.getKey('key')).rejects.toThrow('an invalid request')
    expect(store.isUp).toBe(true)
    set(() => Promise.reject(new StoreError('connection lost')))
    await expect(store.keys.getKey('key')).rejects.toThrow('connection lost')
    await expect(store.keys.getKey('key')).rejects.toThrow('the store is down')
    expect(changes).toEqual(['down: connection lost'])
    await store.close()
  })

  test('is probed once a second while it is down', async () => {
    const { store, set } = openRemote()
    let calls = 0
    set(() => {
      calls++
      return Promise.reject(new StoreError('connection lost'))
    })
    await expectFailure(store.keys.getKey('key'))
    await vi.advanceTimersByTimeAsync(6500)
    expect(calls).toBe(1 + 6)
    await store.close()
    await vi.advanceTimersByTimeAsync(6500)
    expect(calls, 'not after it was closed').toBe(1 + 6)
  })
})
