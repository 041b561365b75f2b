import type { SessionInfo } from '../accounts/types.ts'
import { compareBy } from '../engine/text/compare-by.ts'
import type { Key } from '../keys/types.ts'
import type { Account, StoredScan } from '../store/account-types.ts'
import type { AuditEntry } from '../store/audit-types.ts'
import type { Batch, BatchCounts } from '../store/batch-types.ts'
import type { DayUsage, KeySlot, MonthUsage, Store } from '../store/types.ts'

/** Batches that are read in one call of the store. */
const BATCHES_READ = 100

/** All personal data of an account, as its owner downloads it. Dates become ISO texts in JSON. */
export interface AccountExport {
  readonly exportedAt: Date
  readonly account: Account
  readonly keys: readonly ExportedKey[]
  /** Requests charged to the slots of the account. Months from before days were counted have no days. */
  readonly usage: {
    readonly months: readonly (OfSlot & Omit<MonthUsage, 'counter'>)[]
    readonly days: readonly (OfSlot & Omit<DayUsage, 'counter'>)[]
  }
  readonly sessions: readonly Omit<SessionInfo, 'id'>[]
  readonly scans: readonly ExportedScan[]
  /** Batches of the slots, newest first. Their results are files of their own, because they may be larger than memory. */
  readonly batches: readonly ExportedBatch[]
  readonly audit: readonly ExportedEntry[]
}

interface OfSlot {
  /** Number of the slot, from 1 on; null if it is not known. */
  readonly slot: number | null
}

/** A key without its hashes. */
interface ExportedKey extends OfSlot, Omit<Key, 'account' | 'counter' | 'secrets'> {
  readonly secrets: readonly { readonly lastFour: string; readonly expiresAt: Date | null }[]
}

interface ExportedScan extends Pick<StoredScan, 'id' | 'url' | 'at'> {
  readonly result: unknown
  /** Evidence, versions, infrastructure, timings and warnings. */
  readonly extras: unknown
}

/** A batch without its results, which the page of the batch and the API serve in parts. */
interface ExportedBatch extends OfSlot, Omit<Batch, 'account' | 'counter' | 'fingerprint' | 'webhook'> {
  readonly webhook: string | null
  readonly counts: BatchCounts
}

/** The actor is not named, because the operator's id is personal data, too. */
interface ExportedEntry extends Pick<AuditEntry, 'at' | 'action' | 'key' | 'detail' | 'count' | 'firstAt'> {
  readonly by: 'you' | 'operator'
}

interface ExportParts {
  readonly store: Pick<Store, 'keys' | 'usage' | 'accounts' | 'audit' | 'batches'>
  readonly account: Account
  readonly sessions: readonly SessionInfo[]
  readonly now: Date
}

/** Collects all personal data of an account. */
export async function buildExport({ store, account, sessions, now }: ExportParts): Promise<AccountExport> {
  const keys = await store.keys.listAccountKeys(account.id)
  const slots = await store.keys.listSlots(account.id)
  const [usage, scans, batches, audit] = await Promise.all([
    readUsage(store, slots),
    readScans(store, account.id),
    readBatches(store, slots),
    store.audit.listAudit({ account: account.id }),
  ])
  return {
    exportedAt: now,
    account,
    keys: keys.map((key) => exportKey(key, slots)),
    usage,
    sessions: sessions.map(({ id: _, ...session }) => session),
    scans,
    batches,
    audit: audit.map((entry) => exportEntry(entry, account)),
  }
}

function exportKey({ account: _, counter, secrets, ...key }: Key, slots: readonly KeySlot[]): ExportedKey {
  return {
    ...key,
    slot: findNumber(counter, slots),
    secrets: secrets.map(({ lastFour, expiresAt }) => ({ lastFour, expiresAt })),
  }
}

function exportEntry({ at, action, actor, key, detail, count, firstAt }: AuditEntry, account: Account): ExportedEntry {
  return { at, action, by: actor === account.id ? 'you' : 'operator', key, detail, count, firstAt }
}

/** Finds the number of a slot, from 1 on. */
function findNumber(counter: string, slots: readonly KeySlot[]): number | null {
  const found = slots.find((slot) => slot.counter === counter)
  return found === undefined ? null : found.slot + 1
}

async function readUsage({ usage }: ExportParts['store'], slots: readonly KeySlot[]): Promise<AccountExport['usage']> {
  const counters = slots.map(({ counter }) => counter)
  const listed = await usage.listMonths(counters, '0000-01')
  const days: DayUsage[] = []
  // One month after the other: the store also has to answer the API's requests meanwhile.
  for (const month of new Set(listed.map(({ month }) => month))) days.push(...(await usage.listDays(counters, month)))
  const toSlot = <T extends { readonly counter: string }>({ counter, ...row }: T) => ({
    slot: findNumber(counter, slots),
    ...row,
  })
  return {
    months: listed.map(toSlot).toSorted(
      compareBy(
        ({ month }) => month,
        ({ slot }) => -Number(slot),
      ),
    ),
    days: days.map(toSlot).toSorted(
      compareBy(
        ({ day }) => day,
        ({ slot }) => -Number(slot),
      ),
    ),
  }
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

async function readBatches({ batches }: ExportParts['store'], slots: readonly KeySlot[]): Promise<ExportedBatch[]> {
  const counters = slots.map(({ counter }) => counter)
  const exported: ExportedBatch[] = []
  let before: string | undefined
  do {
    const page = await batches.listBatches({
      counters,
      limit: BATCHES_READ,
      ...(before !== undefined && { before }),
    })
    for (const { account: _, counter, fingerprint: __, webhook, ...batch } of page) {
      const counts = await batches.countItems(batch.id)
      exported.push({ slot: findNumber(counter, slots), ...batch, webhook: webhook?.url ?? null, counts })
    }
    before = page.length < BATCHES_READ ? undefined : page.at(-1)?.id
  } while (before !== undefined)
  return exported
}
