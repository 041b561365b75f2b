import { pino } from 'pino'
import { beforeEach, expect, test, vi } from 'vitest'
import { ServiceSwitches } from '../../src/service/service-switches.ts'
import type { Switches } from '../../src/store/types.ts'
import { openApp } from '../http/app-fixture.ts'
import { openEmbedded, overrideStore } from '../http/app-kinds.ts'

const OFF: Switches = { maintenance: false, apiOff: false }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

test('turning a switch on or off takes effect within 5 s', async () => {
  const app = await openApp()
  const { secret } = await app.newKey()
  const codeOf = async (): Promise<string | number> => {
    const { status, body } = await app.call({ url: '/api/v1/me', secret })
    return body.code ?? status
  }
  for (const [change, wanted] of [
    [{ maintenance: true }, 'maintenance'],
    [{ apiOff: true }, 'maintenance'],
    [{ maintenance: false }, 'unavailable'],
    [{ apiOff: false }, 200],
  ] as const) {
    await app.store.settings.setSwitches(change)
    await vi.advanceTimersByTimeAsync(4900)
    expect(await codeOf()).toBe(wanted)
  }
})

test('while the store fails, the last known switches apply; afterwards they are read again', async () => {
  const { store, shared } = await openEmbedded()
  let isAway = false
  let reads = 0
  const run = async () => {
    reads++
    if (isAway) throw new Error('away')
    return store.settings.switches()
  }
  const flaky = overrideStore(store, { method: 'switches', run })
  await store.settings.setSwitches({ ...OFF, maintenance: true })
  const switches = new ServiceSwitches(flaky, pino({ level: 'silent' }))
  await switches.open()
  expect(() => switches.check()).toThrow('maintenance')
  isAway = true
  await store.settings.setSwitches(OFF)
  await vi.advanceTimersByTimeAsync(4000)
  expect(reads).toBeGreaterThan(2)
  expect(() => switches.check()).toThrow('maintenance')
  isAway = false
  await vi.advanceTimersByTimeAsync(4900)
  expect(() => switches.check()).not.toThrow()
  switches.close()
  const last = reads
  await vi.advanceTimersByTimeAsync(60_000)
  expect(reads, 'no reads after close').toBe(last)
  await shared.close()
  await store.close()
})
