import { expect, test } from 'vitest'
import { adaptConcurrency } from '../../src/batches/queue/adapt-concurrency.ts'

const IDLE = { utilization: 0.2, waitingPages: 0 }

test.each([
  ['the event loop is blocked', 16, { utilization: 0.95, waitingPages: 0 }, 16, 12],
  ['pages wait for a thread', 16, { utilization: 0.2, waitingPages: 2 }, 16, 12],
  ['as few as there may be', 4, { utilization: 1, waitingPages: 9 }, 16, 4],
  ['a low limit stays', 2, { utilization: 1, waitingPages: 9 }, 2, 2],
  ['sites are what is waited for', 4, IDLE, 16, 5],
  ['one page waits by chance', 8, { utilization: 0.9, waitingPages: 1 }, 16, 10],
  ['the limit', 15, IDLE, 16, 16],
])('%s', (_, current, load, max, wanted) => {
  expect(adaptConcurrency(current, load, max)).toBe(wanted)
})
