import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedStore, guardStore } from '../../src/store/guard.ts'
import { openMongo } from '../../src/store/mongo/mongo.ts'
import { DATABASE_FILE } from '../../src/store/sqlite/database.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { type Charge, StoreError } from '../../src/store/types.ts'
import { startMongo } from '../support/services.ts'
import { until } from '../support/until.ts'
import { newFolder } from './open-stores.ts'
import { sampleKey } from './sample-key.ts'

const chargeOf = (key: string): Charge => ({ key, month: '2026-05', quota: 1e6, at: new Date(0) })

/** Every call that was told: `charge ok`, `charge failed`. */
function watcher() {
  const told: string[] = []
  const seconds: number[] = []
  const observe = (operation: string, took: number, ok: boolean): void => {
    told.push(`${operation} ${ok ? 'ok' : 'failed'}`)
    seconds.push(took)
  }
  return { told, seconds, observe }
}

/** Milliseconds until a call fails, which has to be with a StoreError. */
async function msToFail(call: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await expect(call).rejects.toBeInstanceOf(StoreError)
  return performance.now() - start
}

/** Milliseconds until a call succeeds, asked every 50 ms as requests come. */
async function msToReturn(store: GuardedStore): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      await store.charge(chargeOf('probe'))
      return performance.now() - start
    } catch {
      if (performance.now() - start > 10_000) throw new Error('it did not come back')
      await sleep(50)
    }
  }
}

describe('a store of this process', () => {
  test('is watched, neither raced nor broken', async () => {
    const { told, seconds, observe } = watcher()
    const folder = newFolder()
    const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null, observe })
    const key = sampleKey()
    await store.createKey(key)
    await expect(store.createKey(key)).rejects.toThrow()
    expect(await store.charge(chargeOf(key.id))).toBe(1)
    expect([store.isUp, store.isLocal]).toEqual([true, true])
    await store.close()
    for (let n = 0; n < 3; n++) await msToFail(store.getKey(key.id))
    expect(store.isUp).toBe(true)
    expect(told).toEqual(['createKey ok', 'createKey failed', 'charge ok', ...Array(3).fill('getKey failed')])
    expect(seconds.every((one) => one > 0 && one < 1)).toBe(true)
  })

  test('that cannot be written: down with the reason until it can, and what can be read is still answered', async () => {
    const changes: unknown[] = []
    const onChange = (isUp: boolean, why?: unknown): void => void changes.push([isUp, String(why)])
    const folder = newFolder()
    const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null, onChange })
    const key = sampleKey()
    await store.createKey(key)
    const other = new Database(join(folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    await msToFail(store.charge(chargeOf(key.id)))
    // Longer than two probes, with errors and without.
    for (const end = performance.now() + 1500; performance.now() < end; await sleep(100)) {
      await msToFail(store.charge(chargeOf(key.id)))
      expect(await store.getKey(key.id)).toEqual(key)
      expect(store.isUp).toBe(false)
    }
    await sleep(2500)
    expect([store.isUp, changes]).toEqual([false, [[false, expect.stringContaining('SQLITE_BUSY')]]])
    other.exec('ROLLBACK')
    other.close()
    await until(() => store.isUp, true)
    expect(changes.slice(1)).toEqual([[true, 'undefined']])
    expect(await store.charge(chargeOf(key.id))).toBe(1)
    await store.close()
  })

  test('whose probe does not wait for the lock of another process: the event loop goes on', async () => {
    const folder = newFolder()
    const store = await openSqlite({ folder, role: 'server' })
    const other = new Database(join(folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    expect(await msToFail(store.ping())).toBeLessThan(300)
    // Others wait as before.
    expect(await msToFail(store.charge(chargeOf('key')))).toBeGreaterThan(400)
    other.exec('ROLLBACK')
    other.close()
    await store.ping()
    await store.close()
  })

  test('hands every call on', async () => {
    const store = guardStore(await openSqlite({ folder: newFolder(), role: 'server' }), { timeoutMs: 800 })
    const key = sampleKey()
    const { id, secrets } = key
    const now = new Date(5)
    const use = { key: id, month: '2026-05', at: now }
    const newer = sampleKey().secrets[0]
    await store.createKey(key)
    expect(await store.findKey(secrets[0].hash)).toEqual(key)
    expect(await store.rotateKey(id, { secret: newer, oldEndAt: now, now })).toBe(true)
    expect(await store.setPlan(id, 'pro')).toBe(true)
    expect(await store.revokeKey(id, now)).toBe(true)
    const changed = { ...key, plan: 'pro', revokedAt: now, secrets: [newer, { ...secrets[0], expiresAt: now }] }
    expect(await store.getKey(id)).toEqual(changed)
    expect(await store.listKeys()).toEqual([changed])
    expect([await store.charge({ ...use, quota: 1 }), await store.charge({ ...use, quota: 1 })]).toEqual([1, null])
    expect([await store.touch(use), await store.usedBy(id, '2026-05'), await store.lastUsed(id)]).toEqual([1, 1, now])
    await store.setSwitches({ apiOff: true })
    expect(await store.switches()).toEqual({ maintenance: false, apiOff: true })
    expect([await store.keepOnce('a', 'b'), await store.keepOnce('a', 'c')]).toEqual(['b', 'b'])
    await store.ping()
    await store.close()
    await msToFail(store.ping())
    expect(store.isUp).toBe(false)
  })
})

const server = await startMongo('guard')

describe.skipIf(server === null)('a MongoDB', () => {
  const { told, observe } = watcher()
  const lateRejections: unknown[] = []
  const onRejection = (reason: unknown): void => void lateRejections.push(reason)
  let store: GuardedStore
  const lasting = sampleKey()
  beforeAll(async () => {
    process.on('unhandledRejection', onRejection)
    store = guardStore(await openMongo({ url: server?.url ?? '' }), { timeoutMs: 800, observe })
    await store.createKey(lasting)
  })
  afterAll(async () => {
    await store?.close()
    await server?.stop()
    process.off('unhandledRejection', onRejection)
  })

  test('a wrong request does not make it away', async () => {
    const wrong = [store.createKey(lasting), store.charge({ ...chargeOf('key'), month: 'May' })]
    for (const one of await Promise.allSettled(wrong)) {
      expect(one.status).toBe('rejected')
      expect(one.status === 'rejected' && one.reason).not.toBeInstanceOf(StoreError)
    }
    expect(store.isUp).toBe(true)
    expect(await store.getKey(lasting.id)).toEqual(lasting)
  })

  const HARMS: readonly [string, () => unknown, () => unknown][] = [
    ['hangs', () => server?.pause(), () => server?.resume()],
    ['is killed', () => server?.kill(), () => server?.restart()],
  ]
  test.each(HARMS)('that %s: told within a second, then at once, and back within 5 s', async (_, harm, heal) => {
    await harm()
    const first = Array.from({ length: 20 }, () => msToFail(store.charge(chargeOf('probe'))))
    for (const ms of await Promise.all(first)) expect(ms).toBeLessThan(1000)
    expect(store.isUp).toBe(false)
    // Longer than the driver gives its connections, so that each of them has ended once.
    let slow = 0
    for (const start = performance.now(); performance.now() - start < 6500; await sleep(20)) {
      const both = [store.getKey(lasting.id), store.charge(chargeOf('probe'))].map(msToFail)
      for (const ms of await Promise.all(both)) {
        expect(ms).toBeLessThan(1000)
        if (ms > 400) slow++
      }
    }
    // One try a second and no more.
    expect(slow).toBeLessThanOrEqual(6)
    await heal()
    expect(await msToReturn(store)).toBeLessThan(5000)
    expect(store.isUp).toBe(true)
    expect(await store.getKey(lasting.id)).toEqual(lasting)
    expect(lateRejections).toEqual([])
  })

  test.each(HARMS)('that %s under load: every charge that was answered stands', async (_, harm, heal) => {
    const key = sampleKey().id
    let answered = 0
    let unknown = 0
    let isOver = false
    const callers = Array.from({ length: 40 }, async () => {
      while (!isOver)
        try {
          await store.charge(chargeOf(key))
          answered++
        } catch (error) {
          if (!/the store is away/.test(String(error))) unknown++ // It was sent.
          await sleep(20)
        }
    })
    await until(() => answered > 0, true)
    const before = answered
    await harm()
    await sleep(2500)
    const during = answered - before
    await heal()
    await msToReturn(store)
    await sleep(500)
    isOver = true
    await Promise.all(callers)
    expect(answered - before).toBeGreaterThan(during)
    expect(unknown).toBeGreaterThan(0)
    await sleep(200) // What was in flight ends.
    const used = await store.usedBy(key, '2026-05')
    expect(used).toBeGreaterThanOrEqual(answered)
    // What was refused as the store is away never got there.
    expect(used - answered).toBeLessThanOrEqual(unknown)
  })

  test('calls are told, refused ones too', () => {
    expect(new Set(told)).toEqual(new Set(told.filter((line) => /^\w+ (ok|failed)$/.test(line))))
    for (const line of ['charge ok', 'charge failed', 'getKey ok', 'getKey failed']) expect(told).toContain(line)
  })

  test('that hangs is closed in time', async () => {
    const other = guardStore(await openMongo({ url: server?.url ?? '' }), { timeoutMs: 800 })
    server?.pause()
    const start = performance.now()
    await msToFail(other.ping())
    await other.close()
    server?.resume()
    expect(performance.now() - start).toBeLessThan(2500)
    await msToFail(other.ping())
  })
})
