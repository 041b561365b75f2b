import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { raceSignal } from '../../src/async/race-signal.ts'

test.each<[name: string, settle: (promise: ReturnType<typeof createDeferred<string>>) => void, outcome: string]>([
  ['a value', ({ resolve }) => resolve('value'), 'value'],
  ['an error', ({ reject }) => reject('error'), 'error'],
])('%s that comes before the abort is the outcome, and no listener remains', async (_, settle, outcome) => {
  const { signal } = new AbortController()
  const deferred = createDeferred<string>()
  const raced = raceSignal(deferred.promise, signal).catch((reason: unknown) => reason)
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  settle(deferred)
  expect(await raced).toBe(outcome)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('an abort rejects with its reason; a later rejection of the promise is handled', async () => {
  const abort = new AbortController()
  const { promise, reject } = createDeferred<string>()
  const raced = raceSignal(promise, abort.signal)
  abort.abort('enough')
  await expect(raced).rejects.toBe('enough')
  reject(new Error('late')) // Vitest fails the run on an unhandled rejection.
  await expect(raceSignal(promise, abort.signal)).rejects.toBe('enough')
})
