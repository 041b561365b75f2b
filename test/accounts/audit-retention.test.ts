import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startAuditRetention } from '../../src/accounts/audit-retention.ts'
import { StoreError } from '../../src/store/types.ts'

const NOW = Date.UTC(2026, 4, 10)
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Records the times before which entries are deleted. */
function observe(fails = false) {
  const times: Date[] = []
  const warnings: object[] = []
  const deleteAudit = async (before: Date): Promise<void> => {
    times.push(before)
    if (fails) throw new StoreError('gone')
  }
  return {
    times,
    warnings,
    store: { audit: { deleteAudit } },
    log: { warn: (fields: object) => warnings.push(fields) },
  }
}

test('old entries are deleted at once and every hour, until the end', async () => {
  const { times, store, log } = observe()
  const end = startAuditRetention({ store, days: 400, log })
  const oldest = NOW - 400 * DAY_MS
  expect(times).toEqual([new Date(oldest)])
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS)
  expect(times).toEqual([0, 1, 2].map((hours) => new Date(oldest + hours * HOUR_MS)))
  end()
  await vi.advanceTimersByTimeAsync(2 * HOUR_MS)
  expect(times).toHaveLength(3)
})

test('a failure is logged, and the next hour tries again', async () => {
  const { times, warnings, store, log } = observe(true)
  const end = startAuditRetention({ store, days: 1, log })
  await vi.advanceTimersByTimeAsync(HOUR_MS)
  end()
  expect(times).toHaveLength(2)
  expect(warnings).toEqual([{ why: 'gone' }, { why: 'gone' }])
})
