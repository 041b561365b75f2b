import { stringify } from 'csv-stringify/sync'
import { compareBy } from '../engine/text/compare-by.ts'
import type { Key } from '../keys/types.ts'
import type { AccountUsage } from '../store/types.ts'

const COLUMNS = ['month', 'day', 'slot', 'key', 'name', 'last_four', 'requests']

/** A row of the file. */
interface UsageCsvRow {
  readonly slot: number
  /** All keys that have been in the slot, oldest first. */
  readonly keys: readonly Key[]
  readonly month: string
  /** `YYYY-MM-DD`; empty for requests whose day is not recorded. */
  readonly day: string
  readonly used: number
}

/**
 * Formats usage as CSV (RFC 4180): one row per slot and day on which the slot was charged, with the key that was in it at the end of
 * this day. Requests that were charged before days were counted have a row without a day, so that the rows of a month add up to its
 * total. A byte order mark lets spreadsheets read names as UTF-8, and names cannot become formulas.
 * @param usage the months and days of the same span
 */
export function formatUsageCsv(usage: AccountUsage): string {
  const rows = usage.slots.flatMap(({ slot, counter }) => {
    const keys = usage.keys.filter((key) => key.counter === counter)
    const recorded = usage.days
      .filter((day) => day.counter === counter && day.used > 0)
      .map(({ day, used }): UsageCsvRow => ({ slot, keys, month: day.slice(0, 7), day, used }))
    const unrecorded = usage.months
      .filter((month) => month.counter === counter)
      .map(({ month, used }): UsageCsvRow => ({ slot, keys, month, day: '', used: used - sumMonth(recorded, month) }))
    return [...unrecorded.filter(({ used }) => used > 0), ...recorded]
  })
  rows.sort(
    compareBy(
      ({ month }) => month,
      ({ slot }) => -slot,
      ({ day }) => day,
    ),
  )
  const records = rows.map((row) => [row.month, row.day, row.slot + 1, ...describeKey(findKey(row)), row.used])
  return stringify([COLUMNS, ...records], { bom: true, escape_formulas: true, record_delimiter: 'windows' })
}

function sumMonth(rows: readonly UsageCsvRow[], month: string): number {
  return rows.filter((row) => row.month === month).reduce((total, { used }) => total + used, 0)
}

/** Finds the key that was in the slot at the end of the row's day, or of its month; undefined if it was deleted. */
function findKey({ keys, month, day }: UsageCsvRow): Key | undefined {
  const span = day || month
  return keys.findLast(({ createdAt }) => createdAt.toISOString().slice(0, span.length) <= span) ?? keys[0]
}

function describeKey(key: Key | undefined): readonly string[] {
  return key === undefined ? ['', '', ''] : [key.id, key.name, key.secrets[0]?.lastFour ?? '']
}
