const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Formats the billing month of a time as `YYYY-MM` (UTC). */
export function formatMonth(now: number): string {
  const date = new Date(now)
  const month = date.getUTCMonth() + 1
  return `${date.getUTCFullYear()}-${month < 10 ? '0' : ''}${month}`
}

/** Formats the day of a time as `YYYY-MM-DD` (UTC). */
export function formatDay(now: number): string {
  const day = new Date(now).getUTCDate()
  return `${formatMonth(now)}-${day < 10 ? '0' : ''}${day}`
}

/** Lists the days of a month (`YYYY-MM`) as `YYYY-MM-DD`. */
export function listDaysOfMonth(month: string): string[] {
  const [year, number] = month.split('-').map(Number)
  // Day 0 of the next month is the last day of this one.
  const days = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from({ length: days }, (_, i) => `${month}-${i < 9 ? '0' : ''}${i + 1}`)
}

/** The start of the next billing month (the 1st, 00:00 UTC), in milliseconds since 1970. */
export function computeNextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The end of the current rate-limit window, in milliseconds since 1970. */
export function computeNextMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
}

/** The start of the next day (00:00 UTC), in milliseconds since 1970. */
export function computeNextDay(now: number): number {
  return (Math.floor(now / DAY_MS) + 1) * DAY_MS
}

/** Whole seconds between two times, at least 1: the value of `Retry-After`. */
export function countSecondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000))
}
