const MINUTE_MS = 60_000

/** The billing month of a moment: `YYYY-MM`, UTC. */
export function monthOf(now: number): string {
  const date = new Date(now)
  const month = date.getUTCMonth() + 1
  return `${date.getUTCFullYear()}-${month < 10 ? '0' : ''}${month}`
}

/** When the next billing month begins: the 1st, 00:00 UTC, in milliseconds since 1970. */
export function nextMonth(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** When the minute window of a moment ends, in milliseconds since 1970. */
export function nextMinute(now: number): number {
  return (Math.floor(now / MINUTE_MS) + 1) * MINUTE_MS
}

/** Whole seconds from one moment to another: for `Retry-After`, so 1 at the least. */
export function secondsUntil(then: number, now: number): number {
  return Math.max(1, Math.ceil((then - now) / 1000))
}
