import { computeNextMonth, formatMonth } from '../keys/calendar.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import type { AccountUsage, MonthUsage } from '../store/types.ts'
import { listLastMonths, listPastDays } from './months.ts'

/** Months in the table of the account page. */
export const MONTHS_SHOWN = 12

/** The usage of one key. */
export interface KeyUsage {
  readonly key: Key
  /** Requests charged in the chosen month. */
  readonly used: number
  /** Requests that the key may be charged for in a month. */
  readonly limit: number
  /** Requests that the key has left this month: none if it is revoked. */
  readonly left: number
  /** The last use within the months shown; null if there was none. */
  readonly lastUsedAt: Date | null
}

/** A month or a day with the requests of all keys. */
export interface SpanTotal {
  /** `YYYY-MM` or `YYYY-MM-DD`. */
  readonly span: string
  readonly used: number
}

/** The content of the account page. All sums are over all keys of the account, revoked ones included. */
export interface UsageReport {
  /** The chosen month. */
  readonly month: string
  readonly isCurrent: boolean
  /** Requests of the chosen month: the sum of `days` and `unrecorded`, and the sum of `keys`. */
  readonly used: number
  /** Every day of the chosen month that has begun. */
  readonly days: readonly SpanTotal[]
  /** Requests of the chosen month that were charged before days were counted. */
  readonly unrecorded: number
  /** Keys that are not revoked, and revoked ones that were used in the chosen month. */
  readonly keys: readonly KeyUsage[]
  /** The last months, newest first. */
  readonly months: readonly SpanTotal[]
  readonly quota: Quota
}

/** The quotas of all keys that are not revoked, this month. */
interface Quota {
  readonly limit: number
  readonly left: number
  /** Charged to any key this month, including keys that are revoked now. */
  readonly used: number
  /** When the next month begins. */
  readonly resetAt: Date
}

/** Selects the usage to show. */
export interface UsageChoice {
  /** The chosen month, `YYYY-MM`. */
  readonly month: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly plans: ReadonlyMap<string, Plan>
}

/** The month from which on a page needs the usage of the keys. */
export function findFirstMonth({ month, now }: Pick<UsageChoice, 'month' | 'now'>): string {
  const first = listLastMonths(now, MONTHS_SHOWN)[MONTHS_SHOWN - 1]
  return month < first ? month : first
}

/**
 * Combines the rows of the store into the content of the account page.
 * @param rows with the months from `findFirstMonth` on, and the days of the chosen month
 */
export function buildUsage(rows: AccountUsage, choice: UsageChoice): UsageReport {
  const { month, now } = choice
  const current = formatMonth(now)
  const counts = countRequests(rows, month)
  const countMonth = (one: string): number => sum(rows.keys.map(({ id }) => counts.get(`${id} ${one}`) ?? 0))
  const used = countMonth(month)
  const days = listPastDays(month, now).map((day) => ({ span: day, used: counts.get(day) ?? 0 }))
  const all = viewKeys(rows, choice, counts)
  const active = all.filter(({ key }) => key.revokedAt === null)
  return {
    month,
    isCurrent: month === current,
    used,
    days,
    unrecorded: used - sum(days.map((day) => day.used)),
    keys: all.filter(({ key, used }) => key.revokedAt === null || used > 0),
    months: listLastMonths(now, MONTHS_SHOWN).map((one) => ({ span: one, used: countMonth(one) })),
    quota: {
      limit: sum(active.map(({ limit }) => limit)),
      left: sum(active.map(({ left }) => left)),
      used: countMonth(current),
      resetAt: new Date(computeNextMonth(now)),
    },
  }
}

/**
 * Counts requests by `key month`, and by day for all keys. A charge between the reads is in the days and not yet in the month:
 * the larger number is the later one.
 */
function countRequests({ months, days }: AccountUsage, month: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = (name: string, used: number): void => void counts.set(name, (counts.get(name) ?? 0) + used)
  for (const day of days) {
    add(day.day, day.used)
    add(`${day.key} ${month}`, day.used)
  }
  for (const { key, month: one, used } of months) {
    const name = `${key} ${one}`
    counts.set(name, Math.max(counts.get(name) ?? 0, used))
  }
  return counts
}

/** The usage of every key, in the order of the keys. */
export function listKeyUsage(rows: AccountUsage, choice: UsageChoice): readonly KeyUsage[] {
  return viewKeys(rows, choice, countRequests(rows, choice.month))
}

function viewKeys(
  { keys, months }: AccountUsage,
  { month, now, plans }: UsageChoice,
  counts: ReadonlyMap<string, number>,
): readonly KeyUsage[] {
  const lastUses = findLastUses(months)
  const current = formatMonth(now)
  return keys.map((key) => {
    const limit = findLimits(plans, key).perMonth
    const usedNow = counts.get(`${key.id} ${current}`) ?? 0
    return {
      key,
      used: counts.get(`${key.id} ${month}`) ?? 0,
      limit,
      left: key.revokedAt === null ? Math.max(limit - usedNow, 0) : 0,
      lastUsedAt: lastUses.get(key.id) ?? null,
    }
  })
}

function findLastUses(months: readonly MonthUsage[]): ReadonlyMap<string, Date> {
  const uses = new Map<string, Date>()
  for (const { key, lastUsedAt } of months) {
    const other = uses.get(key)
    if (other === undefined || other < lastUsedAt) uses.set(key, lastUsedAt)
  }
  return uses
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
