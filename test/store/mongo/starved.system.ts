import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { guardStore } from '../../../src/store/guard.ts'
import { openMongo } from '../../../src/store/mongo/mongo.ts'
import type { Charge } from '../../../src/store/types.ts'
import { mongoUrl } from '../../support/services.ts'
import { openLine } from '../../support/silent-line.ts'

const url = mongoUrl('MongoDB and a process short of CPU')
const buildCharge = (key: string): Charge => ({ counter: key, day: '2026-05-17', quota: 10, at: new Date(0) })

/** Simulates a process without CPU time: when it continues, all timers have expired and received data is still unread. */
function starveCpu(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test.skipIf(url === null)(
  'no call fails because the monitor of the driver reports late',
  async () => {
    const own = new URL(String(url))
    const line = await openLine(Number(own.port))
    own.port = String(line.port)
    const changes: unknown[] = []
    const onChange = (isUp: boolean, why?: unknown): void => void changes.push([isUp, String(why)])
    const store = guardStore(await openMongo({ url: own.href }), { timeoutMs: 800, onChange })
    let isOver = false
    const load = Array.from({ length: 40 }, async (_, n) => {
      while (!isOver) await store.usage.charge({ ...buildCharge(`monitor-${n}`), quota: 1e6 })
    })
    const ends = Promise.allSettled(load)
    // The driver's first connection is that of its monitor, on which MongoDB sends a message at least once a second.
    line.holdFirst()
    await sleep(4000)
    line.releaseFirst()
    await sleep(500)
    isOver = true
    expect((await ends).filter(({ status }) => status === 'rejected')).toEqual([])
    expect(changes).toEqual([])
    await store.close()
    line.close()
  },
  30_000,
)

// Shorter than the socket timeout.
test.skipIf(url === null)(
  'no call fails because this process had no CPU time for three seconds',
  async () => {
    const changes: boolean[] = []
    const onChange = (isUp: boolean): void => void changes.push(isUp)
    const store = guardStore(await openMongo({ url: String(url) }), { timeoutMs: 800, onChange })
    for (let round = 0; round < 2; round++) {
      await sleep(500 * round) // The monitor can be at any point of its interval.
      const charges = Array.from({ length: 20 }, (_, n) => store.usage.charge(buildCharge(`${round}-${n}`)))
      await sleep(round)
      starveCpu(3000)
      expect(await Promise.all(charges)).toEqual(Array(20).fill(1))
    }
    expect(changes).toEqual([])
    await store.close()
  },
  60_000,
)
