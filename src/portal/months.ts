import { formatMonth } from '../keys/calendar.ts'

/** A span of months, both `YYYY-MM` and both included. */
export interface MonthSpan {
  readonly first: string
  readonly last: string
}

/**
 * Reads a month that a person may ask for: this month or an earlier one.
 * @param now milliseconds since 1970
 * @returns null if the text is not such a month
 */
export function parseMonth(text: string, now: number): string | null {
  return /^20\d\d-(?:0[1-9]|1[0-2])$/.test(text) && text <= formatMonth(now) ? text : null
}

/** Reads a month that a person may ask for, as a span. @returns null if the text is not such a month */
export function parseMonthSpan(text: string, now: number): MonthSpan | null {
  const month = parseMonth(text, now)
  return month === null ? null : { first: month, last: month }
}

/** Reads a year that a person may ask for, as the span of its months. @returns null if the text is not such a year */
export function parseYear(text: string, now: number): MonthSpan | null {
  const isYear = /^20\d\d$/.test(text) && text <= formatMonth(now).slice(0, 4)
  return isYear ? { first: `${text}-01`, last: `${text}-12` } : null
}

/** Lists the last months, newest first, beginning with the month of `now`. */
export function listLastMonths(now: number, count: number): readonly string[] {
  const date = new Date(now)
  return Array.from({ length: count }, (_, i) =>
    formatMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - i, 1)),
  )
}

/** Lists the days of a month as `YYYY-MM-DD`, without those after today. */
export function listPastDays(month: string, now: number): readonly string[] {
  const today = new Date(now).toISOString().slice(0, 10)
  return Array.from({ length: countDays(month) }, (_, i) => `${month}-${String(i + 1).padStart(2, '0')}`).filter(
    (day) => day <= today,
  )
}

/** The number of days of a month. */
export function countDays(month: string): number {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number, 0)).getUTCDate()
}
