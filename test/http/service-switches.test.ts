import { pino } from 'pino'
import { expect, test } from 'vitest'
import { ServiceSwitches } from '../../src/http/service-switches.ts'
import type { Switches } from '../../src/store/types.ts'
import { openApp } from './app-fixture.ts'
import { openEmbedded, overrideStore } from './app-kinds.ts'

const OFF: Switches = { maintenance: false, apiOff: false }

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
    await expect.poll(codeOf, { timeout: 4900 }).toBe(wanted)
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
  await expect.poll(() => reads, { timeout: 4000 }).toBeGreaterThan(2)
  expect(() => switches.check()).toThrow('maintenance')
  isAway = false
  await expect.poll(() => isOpen(switches), { timeout: 4900 }).toBe(true)
  switches.close()
  const last = reads
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(reads, 'no reads after close').toBe(last)
  await shared.close()
  await store.close()
})

function isOpen(switches: ServiceSwitches): boolean {
  try {
    switches.check()
    return true
  } catch {
    return false
  }
}
