import { stringify } from 'csv-stringify/sync'
import { formatMonth } from '../../keys/calendar.ts'
import { findLimits, type Plan } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import type { OpenedStore } from '../../store/open/open-store.ts'
import { UsageError } from '../command/command.ts'
import { formatRows } from '../command/format-rows.ts'
import { readMonthOption } from '../command/key-input.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { buildAccountNamer, buildSlotFinder, type KeyContext, type KeyWork } from './key-work.ts'
import { reportUnknownPlans } from './plan-notes.ts'

/** The usage of one key without an account, or of one slot, in a month. Values of the key are null if it was deleted. */
interface UsageRow {
  readonly month: string
  /** Id of the key, or of the last key that was in the slot. If it was deleted, the id under which it was counted. */
  readonly id: string
  readonly name: string | null
  readonly email: string | null
  readonly account: string | null
  /** Number of the slot in the account, from 1 on. */
  readonly slot: number | null
  readonly plan: string | null
  /** Scans charged in the month. */
  readonly used: number
  /** Scans that may be charged in a month, by the current limit. */
  readonly limit: number | null
  /** The last use in the month. */
  readonly lastUsedAt: Date | null
}

const COLUMNS = ['month', 'id', 'name', 'email', 'account', 'slot', 'plan', 'used', 'limit', 'lastUsedAt'] as const
const TITLES = ['ID', 'NAME', 'EMAIL', 'ACCOUNT', 'SLOT', 'PLAN', 'USED', 'LIMIT', 'LAST USED']

/** The verb `usage`: the usage of all keys and slots in a month, as a table, JSON lines or CSV. */
export function showUsage(given: Given, { plans, stdout, report }: KeyContext): KeyWork {
  const { json, csv } = given.values
  if (json && csv) throw new UsageError('--json and --csv cannot be combined: choose one')
  const now = Date.now()
  const month = readMonthOption('--month', readTextOption(given, 'month') ?? formatMonth(now), now)
  return async ({ store }) => {
    const { rows, keys } = await readRows(store, month, plans)
    if (json) stdout.write(rows.map((row) => `${JSON.stringify(orderColumns(row))}\n`).join(''))
    else if (csv) stdout.write(formatCsv(rows))
    else if (rows.length > 0) stdout.write(formatRows(TITLES, rows.map(listCells)))
    reportUnknownPlans(keys, plans, report)
    const total = rows.reduce((sum, row) => sum + row.used, 0)
    report(
      rows.length === 0
        ? `There were no keys in ${month}.`
        : `Charged scans in ${month}: ${total}. Keys: ${rows.length}.`,
    )
  }
}

async function readRows(
  store: OpenedStore['store'],
  month: string,
  plans: ReadonlyMap<string, Plan>,
): Promise<{ readonly rows: readonly UsageRow[]; readonly keys: readonly Key[] }> {
  const nameAccount = buildAccountNamer(store)
  // Usage is read first, so a key that is created meanwhile has none and is not mistaken for a deleted one.
  const used = new Map((await store.usage.listMonth(month)).map((row) => [row.counter, row]))
  const keys = await store.keys.listKeys()
  const slots = await store.keys.listSlots()
  const findSlot = buildSlotFinder(slots)
  const rows: UsageRow[] = []
  for (const key of listLastKeys(keys)) {
    const row = used.get(key.counter)
    used.delete(key.counter)
    if (row === undefined && !existedIn(key, month)) continue
    const owner = { account: await nameAccount(key), slot: findSlot(key.counter) }
    rows.push({ ...describeKey(key, plans), ...owner, ...readCount(month, row) })
  }
  const owners = new Map(slots.map(({ counter, account }) => [counter, account]))
  for (const row of [...used.values()].sort((a, b) => (a.counter < b.counter ? -1 : 1))) {
    const account = await nameAccount({ account: owners.get(row.counter) ?? null })
    rows.push({ id: row.counter, ...UNKNOWN, account, slot: findSlot(row.counter), ...readCount(month, row) })
  }
  return { rows, keys }
}

const UNKNOWN = { name: null, email: null, plan: null, limit: null } as const

/** Lists the key that was in each slot last, and the keys without a slot, in their order. */
function listLastKeys(keys: readonly Key[]): readonly Key[] {
  const last = new Map<string, Key>()
  const endOf = ({ revokedAt }: Key): number => revokedAt?.getTime() ?? Number.POSITIVE_INFINITY
  for (const key of keys) {
    const other = last.get(key.counter)
    if (other === undefined || endOf(other) <= endOf(key)) last.set(key.counter, key)
  }
  return keys.filter((key) => last.get(key.counter) === key)
}

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

function listCells({ id, name, email, account, slot, plan, used, limit, lastUsedAt }: UsageRow) {
  return [id, name, email, account, slot, plan, used, limit, lastUsedAt]
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
