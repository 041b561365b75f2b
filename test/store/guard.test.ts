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
import { readUsed } from './read-used.ts'
import { sampleKey } from './sample-key.ts'

const buildCharge = (key: string): Charge => ({ key, day: '2026-05-17', quota: 1e6, at: new Date(0) })

/** Half of the second within which calls have to fail: the rest is for a busy machine. */
const TIMEOUT_MS = 500

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

/** Returns the milliseconds until a call fails, which must be with a StoreError. */
async function measureFailure(call: Promise<unknown>): Promise<number> {
  const start = performance.now()
  await expect(call).rejects.toBeInstanceOf(StoreError)
  return performance.now() - start
}

/** Returns the milliseconds until a call succeeds, tried every 50 ms like requests. */
async function measureRecovery(store: GuardedStore): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      await store.usage.charge(buildCharge('probe'))
      return performance.now() - start
    } catch {
      if (performance.now() - start > 30_000) throw new Error('the store did not recover')
      await sleep(50)
    }
  }
}

describe('a store of this process', () => {
  test('is observed, without a timeout or a circuit breaker', async () => {
    const { observed, seconds, observe } = buildObserver()
    const folder = newFolder()
    const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null, observe })
    const key = sampleKey()
    await store.keys.createKey(key)
    await expect(store.keys.createKey(key)).rejects.toThrow()
    expect(await store.usage.charge(buildCharge(key.id))).toBe(1)
    expect(store.isUp).toBe(true)
    await store.close()
    for (let n = 0; n < 3; n++) await measureFailure(store.keys.getKey(key.id))
    expect(store.isUp).toBe(true)
    expect(observed).toEqual(['createKey ok', 'createKey failed', 'charge ok', ...Array(3).fill('getKey failed')])
    expect(seconds.every((one) => one > 0 && one < 1)).toBe(true)
  })

  test('that cannot be written is down with the reason until it can be, and still answers reads', async () => {
    const changes: unknown[] = []
    const onChange = (isUp: boolean, why?: unknown): void => void changes.push([isUp, String(why)])
    const folder = newFolder()
    const store = guardStore(await openSqlite({ folder, role: 'server' }), { timeoutMs: null, onChange })
    const key = sampleKey()
    await store.keys.createKey(key)
    const other = new Database(join(folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    await measureFailure(store.usage.charge(buildCharge(key.id)))
    // Longer than two probes, with and without errors.
    for (const end = performance.now() + 1500; performance.now() < end; await sleep(100)) {
      await measureFailure(store.usage.charge(buildCharge(key.id)))
      expect(await store.keys.getKey(key.id)).toEqual(key)
      expect(store.isUp).toBe(false)
    }
    await sleep(2500)
    expect([store.isUp, changes]).toEqual([false, [[false, expect.stringContaining('SQLITE_BUSY')]]])
    other.exec('ROLLBACK')
    other.close()
    await until(() => store.isUp, true)
    expect(changes.slice(1)).toEqual([[true, 'undefined']])
    expect(await store.usage.charge(buildCharge(key.id))).toBe(1)
    await store.close()
  })

  test('whose probe does not wait for the lock of another process, so that the event loop is not blocked', async () => {
    const folder = newFolder()
    const store = await openSqlite({ folder, role: 'server' })
    const other = new Database(join(folder, DATABASE_FILE))
    other.exec('BEGIN IMMEDIATE')
    expect(await measureFailure(store.ping())).toBeLessThan(300)
    // Other writes do wait.
    expect(await measureFailure(store.usage.charge(buildCharge('key')))).toBeGreaterThan(400)
    other.exec('ROLLBACK')
    other.close()
    await store.ping()
    await store.close()
  })

  test('passes every call on and reports it under the name that the metric has', async () => {
    const { observed, observe } = buildObserver()
    const store = guardStore(await openSqlite({ folder: newFolder(), role: 'server' }), { timeoutMs: 800, observe })
    const key = sampleKey()
    const { id, secrets } = key
    const now = new Date(5)
    const use = { key: id, day: '2026-05-17', at: now }
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
    await measureFailure(store.ping())
    expect(store.isUp).toBe(false)
  })
})

const server = await startMongo('guard')

describe.skipIf(server === null)('a MongoDB', () => {
  const { observed, observe } = buildObserver()
  const lateRejections: unknown[] = []
  const onRejection = (reason: unknown): void => void lateRejections.push(reason)
  let store: GuardedStore
  const lasting = sampleKey()
  beforeAll(async () => {
    process.on('unhandledRejection', onRejection)
    store = guardStore(await openMongo({ url: server?.url ?? '' }), { timeoutMs: TIMEOUT_MS, observe })
    await store.keys.createKey(lasting)
  })
  afterAll(async () => {
    await store?.close()
    await server?.stop()
    process.off('unhandledRejection', onRejection)
  })

  test('an invalid request does not take the store down', async () => {
    const wrong = [store.keys.createKey(lasting), store.usage.charge({ ...buildCharge('key'), day: 'May' })]
    for (const one of await Promise.allSettled(wrong)) {
      expect(one.status).toBe('rejected')
      expect(one.status === 'rejected' && one.reason).not.toBeInstanceOf(StoreError)
    }
    expect(store.isUp).toBe(true)
    expect(await store.keys.getKey(lasting.id)).toEqual(lasting)
  })

  const FAILURES: readonly [string, () => unknown, () => unknown][] = [
    ['hangs', () => server?.pause(), () => server?.resume()],
    ['is killed', () => server?.kill(), () => server?.restart()],
  ]
  test.each(FAILURES)(
    'that %s: calls fail within a second, then immediately, and succeed again within 5 s',
    async (_, fail, recover) => {
      await fail()
      try {
        const first = Array.from({ length: 20 }, () => measureFailure(store.usage.charge(buildCharge('probe'))))
        for (const ms of await Promise.all(first)) expect(ms).toBeLessThan(1000)
        expect(store.isUp).toBe(false)
        // Longer than the driver's socket timeout, so that every connection has ended once.
        let slow = 0
        for (const start = performance.now(); performance.now() - start < 6500; await sleep(20)) {
          const both = [store.keys.getKey(lasting.id), store.usage.charge(buildCharge('probe'))].map(measureFailure)
          for (const ms of await Promise.all(both)) {
            expect(ms).toBeLessThan(1000)
            if (ms > 400) slow++
          }
        }
        // At most one attempt a second.
        expect(slow).toBeLessThanOrEqual(6)
      } finally {
        await recover() // Even after a failure, for the tests that follow.
      }
      expect(await measureRecovery(store)).toBeLessThan(5000)
      expect(store.isUp).toBe(true)
      expect(await store.keys.getKey(lasting.id)).toEqual(lasting)
      expect(lateRejections).toEqual([])
    },
  )

  test.each(FAILURES)('that %s under load: every charge that was answered is stored', async (_, fail, recover) => {
    const key = sampleKey().id
    let answered = 0
    let unknown = 0
    let isOver = false
    const clients = Array.from({ length: 40 }, async () => {
      while (!isOver)
        try {
          await store.usage.charge(buildCharge(key))
          answered++
        } catch (error) {
          if (!/the store is down/.test(String(error))) unknown++ // The charge was sent.
          await sleep(20)
        }
    })
    await until(() => answered > 0, true)
    const before = answered
    await fail()
    await sleep(2500)
    const during = answered - before
    await recover()
    await measureRecovery(store)
    await sleep(500)
    isOver = true
    await Promise.all(clients)
    expect(answered - before).toBeGreaterThan(during)
    expect(unknown).toBeGreaterThan(0)
    await sleep(200) // Wait until the pending charges have ended.
    const used = await readUsed(store, key, '2026-05')
    expect(used).toBeGreaterThanOrEqual(answered)
    // Calls that were rejected because the store was down were never sent.
    expect(used - answered).toBeLessThanOrEqual(unknown)
  })

  test('calls are observed, including rejected ones', () => {
    expect(new Set(observed)).toEqual(new Set(observed.filter((line) => /^\w+ (ok|failed)$/.test(line))))
    for (const line of ['charge ok', 'charge failed', 'getKey ok', 'getKey failed']) expect(observed).toContain(line)
  })

  test('that hangs is closed within its time limit', async () => {
    const other = guardStore(await openMongo({ url: server?.url ?? '' }), { timeoutMs: TIMEOUT_MS })
    server?.pause()
    const start = performance.now()
    await measureFailure(other.ping())
    await other.close()
    server?.resume()
    expect(performance.now() - start).toBeLessThan(2500)
    await measureFailure(other.ping())
  })
})
