import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createDeferred } from '../../src/async/deferred.ts'
import { LoopAwareTimeout } from '../../src/async/loop-aware-timeout.ts'
import { type SteadyClock, useSteadyClock } from '../support/steady-clock.ts'

const late = (): Error => new Error('late')
const never = new Promise<never>(() => {})

let loopAwareTimeout: LoopAwareTimeout
let clock: SteadyClock
beforeEach(() => {
  loopAwareTimeout = new LoopAwareTimeout()
  clock = useSteadyClock()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** Lets the timers of a free event loop run for a time. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    clock.now += 10
    await vi.advanceTimersByTimeAsync(10)
  }
}

/** Blocks the event loop: when it is free again, each timer that is due fires once. */
async function block(ms: number): Promise<void> {
  clock.now += ms
  await vi.advanceTimersByTimeAsync(10)
}

/** The state of a promise: its value, the message of its error, or `pending`. */
async function readState(promise: Promise<unknown>): Promise<unknown> {
  const settled = promise.catch(({ message }: Error) => message)
  return await Promise.race([settled, new Promise((resolve) => setImmediate(resolve, 'pending'))])
}

test('a promise that does not settle is rejected when its time is over', async () => {
  const waiting = loopAwareTimeout.limit(never, 100, late)
  await pass(90)
  expect(await readState(waiting)).toBe('pending')
  await pass(10)
  expect(await readState(waiting)).toBe('late')
})

test('each timeout has its own duration', async () => {
  const order: number[] = []
  for (const ms of [120, 30, 60]) loopAwareTimeout.limit(never, ms, late).catch(() => order.push(ms))
  await pass(60)
  expect(order).toEqual([30, 60])
  await pass(60)
  expect(order).toEqual([30, 60, 120])
})

test('a result or an error that arrives in time is passed on', async () => {
  const { promise, resolve } = createDeferred<string>()
  const waiting = loopAwareTimeout.limit(promise, 1000, late)
  await pass(990)
  resolve('there')
  expect(await waiting).toBe('there')
  await expect(loopAwareTimeout.limit(Promise.reject(new Error('its own')), 1000, late)).rejects.toThrow('its own')
})

test('time in which the event loop was blocked does not count, except for two ticks', async () => {
  const waiting = loopAwareTimeout.limit(never, 100, late)
  for (let turn = 0; turn < 4; turn++) await block(60_000)
  expect(await readState(waiting)).toBe('pending')
  await pass(20)
  expect(await readState(waiting)).toBe('late')
})

test('a measured duration does not contain the time in which the event loop was blocked', async () => {
  const { promise, resolve } = createDeferred<void>()
  const measured = loopAwareTimeout.measure(promise)
  await pass(50)
  await block(60_000)
  resolve()
  expect(await measured).toBe(70)
})

test('the clock stops while no timeout is pending', async () => {
  await loopAwareTimeout.limit(Promise.resolve(), 1000, late)
  await pass(50)
  const before = loopAwareTimeout.now
  await pass(50)
  expect(loopAwareTimeout.now).toBe(before)
})
