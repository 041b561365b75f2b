import { stringify } from 'csv-stringify/sync'
import type { Key } from '../keys/types.ts'
import type { AccountUsage } from '../store/types.ts'

const COLUMNS = ['month', 'day', 'key', 'name', 'last_four', 'requests']

/** A row of the file. */
interface Row {
  readonly key: Key
  readonly month: string
  /** `YYYY-MM-DD`; empty for requests whose day is not recorded. */
  readonly day: string
  readonly used: number
}

/**
 * Formats usage as CSV (RFC 4180): one row per key and day on which the key was charged. Requests that were charged before days
 * were counted have a row without a day, so that the rows of a month add up to its total. A byte order mark lets spreadsheets
 * read names as UTF-8, and names cannot become formulas.
 * @param usage the months and days of the same span
 */
export function formatUsageCsv({ keys, months, days }: AccountUsage): string {
  const rows = keys.flatMap((key) => {
    const recorded = days
      .filter((day) => day.key === key.id && day.used > 0)
      .map(({ day, used }): Row => ({ key, month: day.slice(0, 7), day, used }))
    const unrecorded = months
      .filter((month) => month.key === key.id)
      .map(({ month, used }): Row => ({ key, month, day: '', used: used - sumMonth(recorded, month) }))
    return [...unrecorded.filter(({ used }) => used > 0), ...recorded]
  })
  // Keys keep their order within a month: sorting is stable.
  rows.sort((a, b) => compareText(a.month, b.month) || (a.key === b.key ? compareText(a.day, b.day) : 0))
  const records = rows.map(({ month, day, key, used }) => [month, day, key.id, key.name, findLastFour(key), used])
  return stringify([COLUMNS, ...records], { bom: true, escape_formulas: true, record_delimiter: 'windows' })
}

function sumMonth(rows: readonly Row[], month: string): number {
  return rows.filter((row) => row.month === month).reduce((total, { used }) => total + used, 0)
}

function findLastFour({ secrets }: Key): string {
  return secrets[0]?.lastFour ?? ''
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
