import { computeNextMonth, formatMonth } from '../keys/calendar.ts'
import { findLastUse } from '../keys/last-use.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import type { AccountUsage } from '../store/types.ts'
import { listLastMonths, listPastDays } from './months.ts'

/** Months in the table of the account page. */
export const MONTHS_SHOWN = 12

/** A key and the usage of its slot. */
export interface KeySlotUsage {
  readonly key: Key
  /** Number of its slot, from 1 on; null if it has none. A revoked key has the slot that it was in. */
  readonly slot: number | null
  /** Requests charged to its slot this month. */
  readonly used: number
  /** Requests that the key may be charged for in a month. */
  readonly limit: number
  /** Whether several keys were in the slot this month. */
  readonly isShared: boolean
  /** The last use of the key within the months shown; null if there was none, or if it is not known. */
  readonly lastUsedAt: Date | null
}

/** The usage of one slot of the account. */
export interface SlotUsage {
  /** From 1 on. */
  readonly slot: number
  /** The keys that were in the slot in the chosen month, newest first; otherwise the one that is in it now. */
  readonly keys: readonly Key[]
  /** Requests charged in the chosen month. */
  readonly used: number
  /** Requests that are left this month for the key in the slot; null if no key is in it. */
  readonly left: number | null
}

/** A month or a day with the requests of all slots. */
export interface SpanTotal {
  /** `YYYY-MM` or `YYYY-MM-DD`. */
  readonly span: string
  readonly used: number
}

/** The content of the account page. All sums are over all slots of the account, those without a key included. */
export interface UsageReport {
  /** The chosen month. */
  readonly month: string
  readonly isCurrent: boolean
  /** Requests of the chosen month: the sum of `days` and `unrecorded`, and the sum of `slots`. */
  readonly used: number
  /** Every day of the chosen month that has begun. */
  readonly days: readonly SpanTotal[]
  /** Requests of the chosen month that were charged before days were counted. */
  readonly unrecorded: number
  /** Slots with a key, and others that were used in the chosen month. */
  readonly slots: readonly SlotUsage[]
  /** The last months, newest first. */
  readonly months: readonly SpanTotal[]
  readonly quota: MonthlyQuotas
}

/** The quotas of all keys that are not revoked, this month. */
interface MonthlyQuotas {
  /** Number of these keys. */
  readonly keys: number
  readonly limit: number
  readonly left: number
  /** Charged to any slot this month. */
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

/** The month from which on a page needs the usage of the slots. */
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
  const countMonth = (one: string): number => sum(rows.slots.map(({ counter }) => counts.get(`${counter} ${one}`) ?? 0))
  const used = countMonth(month)
  const days = listPastDays(month, now).map((day) => ({ span: day, used: counts.get(day) ?? 0 }))
  const slots = viewSlots(rows, choice, counts)
  const active = rows.keys.filter(({ revokedAt }) => revokedAt === null)
  return {
    month,
    isCurrent: month === current,
    used,
    days,
    unrecorded: used - sum(days.map((day) => day.used)),
    slots: slots.filter(({ used, left }) => left !== null || used > 0),
    months: listLastMonths(now, MONTHS_SHOWN).map((one) => ({ span: one, used: countMonth(one) })),
    quota: {
      keys: active.length,
      limit: sum(active.map((key) => findLimits(choice.plans, key).perMonth)),
      left: sum(slots.map(({ left }) => left ?? 0)),
      used: countMonth(current),
      resetAt: new Date(computeNextMonth(now)),
    },
  }
}

/**
 * Counts requests by `counter month`, and by day for all slots. A charge between the reads is in the days and not yet in the month:
 * the larger number is the later one.
 */
function countRequests({ months, days }: AccountUsage, month: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  const add = (name: string, used: number): void => void counts.set(name, (counts.get(name) ?? 0) + used)
  for (const day of days) {
    add(day.day, day.used)
    add(`${day.counter} ${month}`, day.used)
  }
  for (const { counter, month: one, used } of months) {
    const name = `${counter} ${one}`
    counts.set(name, Math.max(counts.get(name) ?? 0, used))
  }
  return counts
}

function viewSlots(
  { keys, slots }: AccountUsage,
  { month, now, plans }: UsageChoice,
  counts: ReadonlyMap<string, number>,
): readonly SlotUsage[] {
  const current = formatMonth(now)
  return slots.map(({ slot, counter }) => {
    const all = keys.filter((key) => key.counter === counter)
    const active = all.filter(({ revokedAt }) => revokedAt === null)
    const revoked = all.filter(({ revokedAt }) => revokedAt !== null)
    const ofMonth = [...active, ...revoked.toReversed()].filter((key) => existedIn(key, month))
    const usedNow = counts.get(`${counter} ${current}`) ?? 0
    return {
      slot: slot + 1,
      keys: ofMonth.length > 0 ? ofMonth : active,
      used: counts.get(`${counter} ${month}`) ?? 0,
      left: active.length === 0 ? null : Math.max(findLimits(plans, active[0]).perMonth - usedNow, 0),
    }
  })
}

/** Whether a key could be used in a month. */
function existedIn({ createdAt, revokedAt }: Key, month: string): boolean {
  return formatMonth(createdAt.getTime()) <= month && (revokedAt === null || formatMonth(revokedAt.getTime()) >= month)
}

/** Every key with the usage of its slot this month, in the order of the keys. */
export function listKeyUsage(rows: AccountUsage, { now, plans }: Omit<UsageChoice, 'month'>): readonly KeySlotUsage[] {
  const { keys, slots, months } = rows
  const month = formatMonth(now)
  const counts = countRequests(rows, month)
  const numbers = new Map(slots.map(({ slot, counter }) => [counter, slot + 1]))
  const sharers = new Map<string, number>()
  const ofMonth = keys.filter((key) => existedIn(key, month))
  for (const { counter } of ofMonth) sharers.set(counter, (sharers.get(counter) ?? 0) + 1)
  return keys.map((key) => {
    const uses = months.filter(({ counter }) => counter === key.counter).map(({ lastUsedAt }) => lastUsedAt)
    return {
      key,
      slot: numbers.get(key.counter) ?? null,
      used: counts.get(`${key.counter} ${month}`) ?? 0,
      limit: findLimits(plans, key).perMonth,
      isShared: (sharers.get(key.counter) ?? 0) > 1,
      lastUsedAt: findLastUse(key, uses),
    }
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
