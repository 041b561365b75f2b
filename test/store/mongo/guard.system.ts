import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GuardedStore, guardStore } from '../../../src/store/guard.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import { type Charge, StoreError } from '../../../src/store/types.ts'
import { startMongo } from '../../support/services.ts'
import { until } from '../../support/until.ts'
import { readUsed } from '../read-used.ts'
import { sampleKey } from '../sample-key.ts'

const buildCharge = (key: string): Charge => ({ counter: key, day: '2026-05-17', quota: 1e6, at: new Date(0) })

/** Far above what a call takes, about 1 ms, also on a machine that runs other tests. */
const TIMEOUT_MS = 2000

const expectFailure = (call: Promise<unknown>): Promise<void> => expect(call).rejects.toBeInstanceOf(StoreError)

/** Waits until a call succeeds. */
async function untilRecovered(store: GuardedStore): Promise<void> {
  const charge = (): Promise<boolean> =>
    store.usage.charge(buildCharge('probe')).then(
      () => true,
      () => false,
    )
  await until(charge, true)
}

const server = await startMongo('guard')

describe.skipIf(server === null)('a MongoDB', () => {
  const observed: string[] = []
  const observe = (operation: string, _: number, ok: boolean): void =>
    void observed.push(`${operation} ${ok ? 'ok' : 'failed'}`)
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
    'that %s: the calls in progress fail, all others without being sent, and calls succeed again once it is back',
    async (_, fail, recover) => {
      await fail()
      try {
        const first = Array.from({ length: 20 }, () => expectFailure(store.usage.charge(buildCharge('probe'))))
        await Promise.all(first)
        expect(store.isUp).toBe(false)
        // Longer than the driver's socket timeout, so that every connection has ended once.
        for (const end = Date.now() + 6500; Date.now() < end; await sleep(20))
          for (const call of [store.keys.getKey(lasting.id), store.usage.charge(buildCharge('probe'))])
            await expect(call).rejects.toThrow('the store is down')
      } finally {
        await recover() // Even after a failure, for the tests that follow.
      }
      await untilRecovered(store)
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
    await fail()
    await until(() => unknown > 0, true)
    await recover()
    await untilRecovered(store)
    const before = answered
    await until(() => answered > before, true)
    isOver = true
    await Promise.all(clients)
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

  test('that hangs does not delay closing', async () => {
    const other = guardStore(await openMongo({ url: server?.url ?? '' }), { timeoutMs: TIMEOUT_MS })
    server?.pause()
    await expectFailure(other.ping())
    await other.close() // The server answers nothing before it continues.
    server?.resume()
    await expectFailure(other.ping())
  })
})
