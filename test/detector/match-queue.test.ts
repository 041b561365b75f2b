import { expect, test } from 'vitest'
import { MatchQueue, type QueuedMatch } from '../../src/detector/match-queue.ts'

/** A queue whose matches record the order in which they start; `a1` is the first match of client a. */
function openQueue() {
  const clock = { now: 0 }
  const started: string[] = []
  const queue = new MatchQueue(() => clock.now)
  const matches = new Map<string, QueuedMatch>()
  const add = (...names: string[]): void => {
    for (const name of names) {
      const match = { client: name[0], start: () => void started.push(name) }
      matches.set(name, match)
      queue.add(match)
    }
  }
  const finish = (name: string, ms: number): void => {
    clock.now += ms
    queue.finish(matches.get(name) as QueuedMatch, ms)
  }
  return { queue, clock, started, matches, add, finish }
}

test('within a client the order is FIFO', () => {
  const { queue, started, add, finish } = openQueue()
  add('a1', 'a2', 'a3')
  for (const name of ['a1', 'a2', 'a3']) {
    expect(queue.startNext()).toBe(true)
    finish(name, 10)
  }
  expect([started, queue.startNext(), queue.size]).toEqual([['a1', 'a2', 'a3'], false, 0])
})

test('a client with a running match waits while another client waits', () => {
  const { queue, started, add } = openQueue()
  add('a1', 'a2', 'a3', 'b1')
  for (let i = 0; i < 3; i++) queue.startNext()
  expect(started).toEqual(['a1', 'b1', 'a2'])
})

test('the client with the least match time comes first', () => {
  const { queue, started, add, finish } = openQueue()
  add('a1', 'a2', 'a3', 'b1', 'b2', 'b3')
  const costs: Record<string, number> = { a: 1000, b: 10 }
  for (let i = 0; i < 6; i++) {
    queue.startNext()
    finish(started[i], costs[started[i][0]])
  }
  expect(started).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'a3'])
})

test('match time counts half after 20 seconds', () => {
  const { queue, clock, started, add, finish } = openQueue()
  add('a1', 'b1')
  queue.startNext()
  queue.startNext()
  finish('a1', 1000)
  clock.now += 100_000
  finish('b1', 100)
  add('b2', 'a2')
  queue.startNext()
  expect(started.at(-1)).toBe('a2')
})

test('a removed match does not start', () => {
  const { queue, started, matches, add } = openQueue()
  add('a1', 'b1')
  queue.remove(matches.get('a1') as QueuedMatch)
  expect([queue.startNext(), queue.startNext(), started]).toEqual([true, false, ['b1']])
})
