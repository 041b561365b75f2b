import { stringify } from 'csv-stringify/sync'
import { formatMonth } from '../../keys/calendar.ts'
import { findLimits, type Plan } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import { UsageError } from '../command.ts'
import { formatRows } from '../format-rows.ts'
import { readMonthOption } from '../key-input.ts'
import { type Given, readTextOption } from '../verbs.ts'
import { buildAccountNamer, type KeyContext, type KeyWork } from './key-work.ts'

/** The usage of one key in a month. Values of the key are null if it was deleted. */
interface UsageRow {
  readonly month: string
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly account: string | null
  readonly plan: string | null
  /** Scans charged in the month. */
  readonly used: number
  /** Scans that may be charged in a month, by the current limit. */
  readonly limit: number | null
  /** The last use in the month. */
  readonly lastUsedAt: Date | null
}

const COLUMNS = ['month', 'id', 'name', 'email', 'account', 'plan', 'used', 'limit', 'lastUsedAt'] as const
const TITLES = ['ID', 'NAME', 'EMAIL', 'ACCOUNT', 'PLAN', 'USED', 'LIMIT', 'LAST USED']

/** The verb `usage`: the usage of all keys in a month, as a table, JSON lines or CSV. */
export function showUsage(given: Given, { plans, stdout, report }: KeyContext): KeyWork {
  const { json, csv } = given.values
  if (json && csv) throw new UsageError('--json and --csv cannot be combined: choose one')
  const now = Date.now()
  const month = readMonthOption('--month', readTextOption(given, 'month') ?? formatMonth(now), now)
  return async ({ store }) => {
    const nameAccount = buildAccountNamer(store)
    // Usage is read first, so a key that is created meanwhile has none and is not mistaken for a deleted one.
    const used = new Map((await store.usage.listMonth(month)).map((row) => [row.key, row]))
    const rows: UsageRow[] = []
    for (const key of await store.keys.listKeys()) {
      const row = used.get(key.id)
      used.delete(key.id)
      if (row === undefined && !existedIn(key, month)) continue
      rows.push({ ...describeKey(key, plans), account: await nameAccount(key), ...readCount(month, row) })
    }
    for (const row of [...used.values()].sort((a, b) => (a.key < b.key ? -1 : 1)))
      rows.push({ id: row.key, ...UNKNOWN, ...readCount(month, row) })
    if (json) stdout.write(rows.map((row) => `${JSON.stringify(orderColumns(row))}\n`).join(''))
    else if (csv) stdout.write(formatCsv(rows))
    else if (rows.length > 0) stdout.write(formatRows(TITLES, rows.map(listCells)))
    const total = rows.reduce((sum, row) => sum + row.used, 0)
    report(
      rows.length === 0
        ? `There were no keys in ${month}.`
        : `Charged scans in ${month}: ${total}. Keys: ${rows.length}.`,
    )
  }
}

const UNKNOWN = { name: null, email: null, account: null, plan: null, limit: null } as const

function describeKey(
  key: Key,
  plans: ReadonlyMap<string, Plan>,
): Pick<UsageRow, 'id' | 'name' | 'email' | 'plan' | 'limit'> {
  const { id, name, email, plan } = key
  return { id, name, email, plan, limit: findLimits(plans, key).perMonth }
}

function readCount(
  month: string,
  row: Pick<UsageRow, 'used' | 'lastUsedAt'> | undefined,
): Pick<UsageRow, 'month' | 'used' | 'lastUsedAt'> {
  return { month, used: row?.used ?? 0, lastUsedAt: row?.lastUsedAt ?? null }
}

/** Whether a key could have been used in a month. */
function existedIn({ createdAt, revokedAt }: Key, month: string): boolean {
  return formatMonth(createdAt.getTime()) <= month && (revokedAt === null || formatMonth(revokedAt.getTime()) >= month)
}

function orderColumns(row: UsageRow): object {
  return Object.fromEntries(COLUMNS.map((name) => [name, row[name]]))
}

function listCells({ id, name, email, account, plan, used, limit, lastUsedAt }: UsageRow) {
  return [id, name, email, account, plan, used, limit, lastUsedAt]
}

/** CSV (RFC 4180). Excel reads names as UTF-8 only with a byte order mark. Names cannot become formulas. */
function formatCsv(rows: readonly UsageRow[]): string {
  const records = rows.map((row) => COLUMNS.map((name) => row[name]))
  return stringify([COLUMNS, ...records], {
    bom: true,
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { date: (date) => date.toISOString() },
  })
}
