import type { AuditEntry } from '../accounts/audit.ts'
import type { Account, SessionInfo, StoredScan } from '../accounts/types.ts'
import type { Key } from '../keys/types.ts'
import { type DayUsage, MAX_AUDIT_ENTRIES, type Store } from '../store/types.ts'

/** All personal data of an account, as its owner downloads it. Dates become ISO texts in JSON. */
export interface AccountExport {
  readonly exportedAt: Date
  readonly account: Account
  readonly keys: readonly ExportedKey[]
  /** Requests charged to the keys. Months from before days were counted have no days. */
  readonly usage: {
    readonly months: readonly { key: string; month: string; used: number; lastUsedAt: Date }[]
    readonly days: readonly DayUsage[]
  }
  readonly sessions: readonly Omit<SessionInfo, 'id'>[]
  readonly scans: readonly ExportedScan[]
  readonly audit: readonly ExportedEntry[]
}

/** A key without its hashes. */
interface ExportedKey extends Omit<Key, 'account' | 'secrets'> {
  readonly secrets: readonly { readonly lastFour: string; readonly expiresAt: Date | null }[]
}

interface ExportedScan extends Pick<StoredScan, 'id' | 'url' | 'at'> {
  readonly result: unknown
  /** Evidence, versions, infrastructure, timings and warnings. */
  readonly extras: unknown
}

/** The actor is not named, because the operator's id is personal data, too. */
interface ExportedEntry extends Pick<AuditEntry, 'at' | 'action' | 'key' | 'detail'> {
  readonly by: 'you' | 'operator'
}

interface ExportParts {
  readonly store: Pick<Store, 'keys' | 'usage' | 'accounts' | 'audit'>
  readonly account: Account
  readonly sessions: readonly SessionInfo[]
  readonly now: Date
}

/** Collects all personal data of an account. */
export async function buildExport({ store, account, sessions, now }: ExportParts): Promise<AccountExport> {
  const keys = await store.keys.listAccountKeys(account.id)
  const [usage, scans, audit] = await Promise.all([
    readUsage(
      store,
      keys.map(({ id }) => id),
    ),
    readScans(store, account.id),
    store.audit.listAudit({ account: account.id, limit: MAX_AUDIT_ENTRIES }),
  ])
  return {
    exportedAt: now,
    account,
    keys: keys.map(exportKey),
    usage,
    sessions: sessions.map(({ id: _, ...session }) => session),
    scans,
    audit: audit.map((entry) => exportEntry(entry, account)),
  }
}

function exportKey({ account: _, secrets, ...key }: Key): ExportedKey {
  return { ...key, secrets: secrets.map(({ lastFour, expiresAt }) => ({ lastFour, expiresAt })) }
}

function exportEntry({ at, action, actor, key, detail }: AuditEntry, account: Account): ExportedEntry {
  return { at, action, by: actor === account.id ? 'you' : 'operator', key, detail }
}

async function readUsage({ usage }: ExportParts['store'], keys: readonly string[]): Promise<AccountExport['usage']> {
  const listed = await usage.listMonths(keys, '0000-01')
  const months = listed.toSorted((a, b) => compareText(a.month + a.key, b.month + b.key))
  const days: DayUsage[] = []
  // One month after the other: the store also has to answer the API's requests meanwhile.
  for (const month of new Set(months.map(({ month }) => month))) days.push(...(await usage.listDays(keys, month)))
  return { months, days: days.toSorted((a, b) => compareText(a.day + a.key, b.day + b.key)) }
}

async function readScans({ accounts }: ExportParts['store'], account: string): Promise<ExportedScan[]> {
  const scans: ExportedScan[] = []
  for (const { id } of await accounts.listScans(account)) {
    const scan = await accounts.getScan(account, id)
    if (scan === null) continue
    const { url, at, entry } = scan
    scans.push({ id, url, at, result: JSON.parse(entry.result), extras: JSON.parse(entry.extras ?? 'null') })
  }
  return scans
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
