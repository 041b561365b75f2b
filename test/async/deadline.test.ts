import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Deadline, withDeadline } from '../../src/async/deadline.ts'
import { nothingOpenedSince, openHandles } from '../support/open-handles.ts'

/** Replaces the clock and the timers of deadlines. */
const useFakeClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
afterEach(() => void vi.useRealTimers())

describe('a deadline', () => {
  test('aborts with its reason when the time is up', () => {
    useFakeClock()
    const { signal } = new Deadline({ ms: 20, createReason: () => 'late' })
    vi.advanceTimersByTime(19)
    expect(signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(signal.reason).toBe('late')
  })

  test('aborts with the reason of its parent, also of one that has aborted before', () => {
    const parent = new AbortController()
    const { signal } = new Deadline({ ms: 60_000, parent: parent.signal })
    parent.abort('parent')
    expect(signal.reason).toBe('parent')
    expect(new Deadline({ ms: 60_000, parent: parent.signal }).signal.reason).toBe('parent')
  })

  test('keeps its first reason', () => {
    const deadline = new Deadline({ ms: 60_000 })
    deadline.abort('first')
    deadline.abort('second')
    deadline.resume()
    expect(deadline.signal.reason).toBe('first')
  })

  test('does not count the time of a pause', () => {
    useFakeClock()
    const deadline = new Deadline({ ms: 60, createReason: () => 'late' })
    vi.advanceTimersByTime(20)
    deadline.pause()
    deadline.pause()
    vi.advanceTimersByTime(1000)
    deadline.resume()
    deadline.resume()
    vi.advanceTimersByTime(39)
    expect(deadline.signal.aborted).toBe(false)
    vi.advanceTimersByTime(1)
    expect(deadline.signal.reason).toBe('late')
  })

  test.each<[end: string, (deadline: Deadline, parent: AbortController) => void]>([
    ['it is cleared', (deadline) => deadline.clear()],
    ['it has aborted', (deadline) => deadline.abort()],
    ['its parent has aborted', (_, parent) => parent.abort()],
  ])('leaves no timer and no listener when %s', async (_, end) => {
    const before = openHandles()
    const parent = new AbortController()
    end(new Deadline({ ms: 60_000, parent: parent.signal }), parent)
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(0)
    await nothingOpenedSince(before)
  })
})

describe('withDeadline', () => {
  test.each<[name: string, promise: () => Promise<unknown>, outcome: unknown]>([
    ['a value in time', async () => 'value', 'value'],
    ['an error in time', async () => Promise.reject('error'), 'error'],
    ['neither', () => new Promise(() => {}), 'late'],
  ])('%s', async (_, promise, outcome) => {
    const before = openHandles()
    const settled = withDeadline(promise(), 20, () => 'late').catch((reason: unknown) => reason)
    expect(await settled).toBe(outcome)
    await nothingOpenedSince(before)
  })
})
