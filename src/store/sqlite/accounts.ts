import type Database from 'libsql'
import type { Account, AccountSummary, Invite, ScanHead, StoredScan } from '../account-types.ts'
import type { AccountQuery, AccountStore, AccountUsage, KeySlot, Store, UsageSpan } from '../types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'
import { eraseFromCopies } from './former-version.ts'
import type { SqliteKeyCache } from './key-cache.ts'
import { toTimestamp } from './key-row.ts'
import { buildSearchPattern } from './search-pattern.ts'

/** A slot and one of the months in which it was used; null for a slot that was not used. */
interface SlotMonthRow extends Omit<KeySlot, 'account'> {
  readonly month: string | null
  readonly used: number
  readonly lastUsedAt: number
}

/** The tables of accounts, invitations and scans. better-auth writes the tables of accounts, credentials and sessions too. */
export class SqliteAccounts implements AccountStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>
  readonly #cache: SqliteKeyCache
  readonly #parts: Pick<Store, 'keys' | 'usage'>

  constructor(connection: SqliteConnection, cache: SqliteKeyCache, parts: Pick<Store, 'keys' | 'usage'>) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
    this.#cache = cache
    this.#parts = parts
  }

  getAccount(id: string): Promise<Account | null> {
    return this.#connection.read(() => this.#read(id))
  }

  findAccount(email: string): Promise<Account | null> {
    return this.#connection.read(() => parseAccount(readFirstRow(this.#sql.find, email.toLowerCase())))
  }

  listAccounts({ search, month, offset, limit }: AccountQuery) {
    return this.#connection.read(() => {
      const pattern = buildSearchPattern(search)
      const rows = this.#sql.list.all(month, pattern, pattern, limit, offset)
      const count = readFirstRow<{ readonly total: number }>(this.#sql.count, pattern, pattern)
      return { accounts: rows.map(parseRow<AccountSummary>), total: count?.total ?? 0 }
    })
  }

  async readUsage(account: string, { since, first, last }: UsageSpan): Promise<AccountUsage> {
    const { keys: keyStore, usage } = this.#parts
    const keys = await keyStore.listAccountKeys(account)
    const { slots, months } = await this.#connection.read(() => this.#readSlots(account, since))
    const counters = slots.map(({ counter }) => counter)
    return { keys, slots, months, days: await usage.listDays(counters, first, last) }
  }

  setAccountPlan(id: string, plan: string): Promise<boolean> {
    return this.#writeKeys(() => {
      this.#sql.setKeyPlans.run(plan, id)
      return this.#sql.setPlan.run(plan, id).changes === 1
    })
  }

  async setKeyEmails(account: string, email: string): Promise<void> {
    await this.#writeKeys(() => this.#sql.setKeyEmails.run(email, account))
  }

  verifyAccount(id: string, email: string): Promise<boolean> {
    return this.#connection.write(() => {
      const isFound = this.#sql.verify.run(id, email).changes === 1
      if (isFound) this.#sql.endSessions.run(id)
      return isFound
    })
  }

  suspendAccount(id: string, at: Date | null): Promise<boolean> {
    return this.#writeKeys(() => {
      this.#sql.suspendKeys.run(toTimestamp(at), id)
      if (at !== null) this.#sql.endSessions.run(id)
      return this.#sql.suspend.run(at === null ? null : at.toISOString(), id).changes === 1
    })
  }

  async deleteAccount(id: string, at: Date): Promise<boolean> {
    const keys = await this.#parts.keys.listAccountKeys(id)
    const deleted = await this.#connection.read(() => this.#read(id))
    // Before the account itself, so that the call can be repeated after a failure.
    await this.#connection.read(() =>
      eraseFromCopies(
        this.#connection.db,
        id,
        keys.map((key) => key.id),
      ),
    )
    const isFound = await this.#writeKeys(() => {
      const account = this.#read(id)
      if (account === null) return false
      this.#sql.emptyKeys.run(at.getTime(), id)
      this.#sql.deleteVerifications.run({ id, email: account.email })
      // Deletes its sessions, credentials and scans too: their tables refer to it.
      this.#sql.delete.run(id)
      return true
    })
    await this.#connection.erase(
      deleted === null ? [] : [deleted.email, deleted.name].filter(({ length }) => length >= MIN_DISTINCTIVE),
    )
    return isFound
  }

  createInvite({ hash, expiresAt }: Invite): Promise<void> {
    return this.#connection.write(() => void this.#sql.insertInvite.run(hash, expiresAt.getTime()))
  }

  findInvite(hash: string, now: Date): Promise<Invite | null> {
    return this.#connection.read(() => {
      const row = readFirstRow<{ readonly at: number }>(this.#sql.findInvite, hash, now.getTime())
      return row === undefined ? null : { hash, expiresAt: new Date(row.at) }
    })
  }

  useInvite(hash: string, now: Date): Promise<boolean> {
    return this.#connection.write(() => {
      const isFound = readFirstRow(this.#sql.findInvite, hash, now.getTime()) !== undefined
      this.#sql.deleteInvites.run(hash, now.getTime())
      return isFound
    })
  }

  addScan({ id, account, url, builder, at, entry }: StoredScan, keep: number): Promise<void> {
    return this.#connection.write(() => {
      if (this.#read(account) === null) return
      this.#sql.insertScan.run(id, account, url, builder, at.getTime(), JSON.stringify(entry))
      this.#sql.deleteScans.run(account, account, keep)
    })
  }

  listScans(account: string): Promise<readonly ScanHead[]> {
    return this.#connection.read(() => this.#sql.listScans.all(account).map(parseRow<ScanHead>))
  }

  getScan(account: string, id: string): Promise<StoredScan | null> {
    return this.#connection.read(() => {
      const row = readFirstRow(this.#sql.getScan, account, id)
      return row === undefined ? null : parseRow<StoredScan>(row)
    })
  }

  #readSlots(account: string, since: string): Pick<AccountUsage, 'slots' | 'months'> {
    const rows = this.#sql.listSlots.all(since, account) as SlotMonthRow[]
    const slots = new Map(rows.map(({ slot, counter }) => [slot, { account, slot, counter }]))
    const months = rows.flatMap(({ counter, month, used, lastUsedAt }) =>
      month === null ? [] : [{ counter, month, used, lastUsedAt: new Date(lastUsedAt) }],
    )
    return { slots: [...slots.values()], months }
  }

  #read(id: string): Account | null {
    return parseAccount(readFirstRow(this.#sql.get, id))
  }

  /** Runs a change that may concern keys. */
  #writeKeys<T>(work: () => T): Promise<T> {
    this.#cache.clear()
    return this.#connection.write(work)
  }
}

const ACCOUNT = `'id', id, 'email', email, 'name', name, 'isVerified', json(iif(emailVerified, 'true', 'false')),
  'plan', plan, 'createdAt', createdAt, 'suspendedAt', suspendedAt`
const SCAN = "'id', id, 'account', account, 'url', url, 'builder', builder, 'at', at"
/** Shorter texts occur in other rows, too: their remains are overwritten when SQLite uses the space again. */
const MIN_DISTINCTIVE = 6
const MATCHES = '(email GLOB ? OR name GLOB ?)'

function prepare(db: Database.Database) {
  return {
    get: db.prepare(`SELECT json_object(${ACCOUNT}) AS json FROM accounts WHERE id = ?`),
    find: db.prepare(`SELECT json_object(${ACCOUNT}) AS json FROM accounts WHERE email = ?`),
    list: db.prepare(
      `SELECT json_object(${ACCOUNT},
         'keys', (SELECT count(*) FROM keys WHERE account = accounts.id AND slot IS NOT NULL),
         'used', (SELECT coalesce(sum(used), 0) FROM slots JOIN usage ON usage.key = slots.counter
                  WHERE slots.account = accounts.id AND usage.month = ?)
       ) AS json FROM accounts WHERE ${MATCHES} ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`,
    ),
    listSlots: db.prepare(
      `SELECT slot, counter, month, used, last_used_at AS lastUsedAt
       FROM slots LEFT JOIN usage ON usage.key = slots.counter AND usage.month >= ? WHERE account = ? ORDER BY slot`,
    ),
    count: db.prepare(`SELECT count(*) AS total FROM accounts WHERE ${MATCHES}`),
    setPlan: db.prepare('UPDATE accounts SET plan = ? WHERE id = ?'),
    setKeyPlans: db.prepare('UPDATE keys SET plan = ? WHERE account = ?'),
    setKeyEmails: db.prepare('UPDATE keys SET email = ? WHERE account = ?'),
    verify: db.prepare('UPDATE accounts SET emailVerified = 1 WHERE id = ? AND email = ?'),
    suspend: db.prepare('UPDATE accounts SET suspendedAt = ? WHERE id = ?'),
    suspendKeys: db.prepare('UPDATE keys SET suspended_at = ? WHERE account = ?'),
    endSessions: db.prepare('DELETE FROM sessions WHERE userId = ?'),
    emptyKeys: db.prepare(
      "UPDATE keys SET name = '', email = '', slot = NULL, revoked_at = coalesce(revoked_at, ?) WHERE account = ?",
    ),
    deleteVerifications: db.prepare(
      `DELETE FROM verifications WHERE instr(value, @id) OR instr(identifier, @id)
         OR instr(lower(value), @email) OR instr(lower(identifier), @email)`,
    ),
    delete: db.prepare('DELETE FROM accounts WHERE id = ?'),
    insertInvite: db.prepare('INSERT INTO invites (hash, expires_at) VALUES (?, ?)'),
    findInvite: db.prepare('SELECT expires_at AS at FROM invites WHERE hash = ? AND expires_at > ?'),
    deleteInvites: db.prepare('DELETE FROM invites WHERE hash = ? OR expires_at <= ?'),
    insertScan: db.prepare('INSERT INTO scans (id, account, url, builder, at, entry) VALUES (?, ?, ?, ?, ?, ?)'),
    deleteScans: db.prepare(
      `DELETE FROM scans WHERE account = ? AND id NOT IN (
         SELECT id FROM scans WHERE account = ? ORDER BY at DESC, id DESC LIMIT ?
       )`,
    ),
    listScans: db.prepare(`SELECT json_object(${SCAN}) AS json FROM scans WHERE account = ? ORDER BY at DESC, id DESC`),
    getScan: db.prepare(
      `SELECT json_object(${SCAN}, 'entry', json(entry)) AS json FROM scans WHERE account = ? AND id = ?`,
    ),
  }
}

function parseAccount(row: unknown): Account | null {
  return row === undefined ? null : parseRow<Account>(row)
}

/** Names of values that are times: ISO 8601 in accounts, milliseconds in scans. */
const TIMES = new Set(['createdAt', 'suspendedAt', 'at'])

/** Parses a row in JSON, because the binding ends a text column at its first NUL. */
function parseRow<T>(row: unknown): T {
  const { json } = row as { readonly json: string }
  const fields = Object.entries(JSON.parse(json) as Record<string, unknown>)
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      TIMES.has(name) && value !== null ? new Date(value as string | number) : value,
    ]),
  ) as T
}
