import { pino } from 'pino'
import { expect, test } from 'vitest'
import { Switchboard } from '../../src/http/service-switches.ts'
import type { Switches } from '../../src/store/types.ts'
import { openHost } from './app-fixture.ts'
import { openEmbedded, overrideStore } from './app-kinds.ts'

const OFF: Switches = { maintenance: false, apiOff: false }

test('a switch works within 5 s, both ways', async () => {
  const host = await openHost()
  const { secret } = await host.newKey()
  const codeOf = async (): Promise<string | number> => {
    const { status, body } = await host.call({ url: '/api/v1/me', secret })
    return body.code ?? status
  }
  for (const [change, wanted] of [
    [{ maintenance: true }, 'maintenance'],
    [{ apiOff: true }, 'maintenance'],
    [{ maintenance: false }, 'unavailable'],
    [{ apiOff: false }, 200],
  ] as const) {
    await host.store.settings.setSwitches(change)
    await expect.poll(codeOf, { timeout: 4900 }).toBe(wanted)
  }
})

test('while the store fails, what was read last stands; then it is read again', async () => {
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
  const board = new Switchboard(flaky, pino({ level: 'silent' }))
  await board.open()
  expect(() => board.check()).toThrow('maintained')
  isAway = true
  await store.settings.setSwitches(OFF)
  await expect.poll(() => reads, { timeout: 4000 }).toBeGreaterThan(2)
  expect(() => board.check()).toThrow('maintained')
  isAway = false
  await expect.poll(() => isOpen(board), { timeout: 4900 }).toBe(true)
  board.close()
  const last = reads
  await new Promise((resolve) => setTimeout(resolve, 1300))
  expect(reads, 'closed, it reads no more').toBe(last)
  await shared.close()
  await store.close()
})

function isOpen(board: Switchboard): boolean {
  try {
    board.check()
    return true
  } catch {
    return false
  }
}
