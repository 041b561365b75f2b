import { describe, expect, test } from 'vitest'
import { describeStatus, formatSpan, type ProcessStatus } from '../../src/portal/status.ts'

const STATUS: ProcessStatus = {
  gauges: {
    scans: { running: 3, waiting: 4 },
    workers: { running: 5, waiting: 6 },
    inFlight: 7,
    isRedisUp: true,
    isStoreUp: true,
    switches: { maintenance: false, apiOff: false },
  },
  version: '1.2.3',
  ruleset: 'abc',
  node: 'v20.1.0',
  store: 'sqlite',
  uptimeSeconds: 61,
}

describe('the status of the service', () => {
  test('contains every value once', () => {
    const rows = describeStatus(STATUS)
    expect(rows.map(({ value }) => value)).toEqual([
      '1.2.3',
      'abc',
      'v20.1.0',
      '1 minute 1 second',
      'up',
      'up, or not used',
      '3',
      '4',
      '7',
      '5',
      '6',
    ])
    expect(rows.filter(({ isProblem }) => isProblem)).toEqual([])
  })

  test.each([
    ['the store is down', { isStoreUp: false }, 'MongoDB'],
    ['Redis is down', { isRedisUp: false }, 'Redis'],
  ])('%s', (_, change, label) => {
    const rows = describeStatus({ ...STATUS, store: 'mongodb', gauges: { ...STATUS.gauges, ...change } })
    expect(rows.filter(({ isProblem }) => isProblem).map((row) => row.label)).toEqual([label])
  })
})

test.each([
  [0, 'less than a second'],
  [0.9, 'less than a second'],
  [1, '1 second'],
  [59, '59 seconds'],
  [3600, '1 hour'],
  [3661, '1 hour 1 minute'],
  [86_400 * 3 + 3600 * 4 + 59, '3 days 4 hours'],
])('%d seconds are %s', (seconds, expected) => expect(formatSpan(seconds)).toBe(expected))
