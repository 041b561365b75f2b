import type Database from 'libsql'
import type { Db, MongoClient } from 'mongodb'
import type { Key, KeySecret } from '../keys/types.ts'
import type { Account, AccountSummary, Invite, ScanHead, StoredScan } from './account-types.ts'
import type { AuditAction, AuditEntry, AuditEvent } from './audit-types.ts'
import type { BatchStore } from './batch-types.ts'

/**
 * A numbered place of an account, in which one key at a time can be. What is counted belongs to the slot, so that a key that
 * replaces another one continues its counts.
 */
export interface KeySlot {
  readonly account: string
  /** From 0 on. People see it from 1 on. */
  readonly slot: number
  /** Id under which the slot is counted: that of the first key in it. */
  readonly counter: string
}

/** A use of the API at a point in time. */
export interface CounterUse {
  /** The counter of the key: that of its slot, or its own id, see `Key`. */
  readonly counter: string
  /** `YYYY-MM-DD`, UTC. Its month is the billing month. */
  readonly day: string
  readonly at: Date
}

/** A charge of one request, or of several that are charged together or not at all. */
export interface Charge extends CounterUse {
  /** How many are charged; 1 by default. */
  readonly count?: number
  /** Requests that may be charged in the month. */
  readonly quota: number
}

/** A new secret for a key. */
export interface Rotation {
  readonly secret: KeySecret
  /** Expiry of the former secrets that would expire later. */
  readonly oldEndAt: Date
  /** Former secrets that expired before this time are deleted. */
  readonly now: Date
}

/** New values of a key. Those that are absent stay as they are. */
export type KeyChange = Partial<Pick<Key, 'email' | 'expiresAt' | 'perMinute' | 'perMonth'>>

/** The requests charged to a counter in a month. */
export interface MonthUsage {
  readonly counter: string
  /** `YYYY-MM`, UTC. */
  readonly month: string
  readonly used: number
  /** The last charge or touch in this month. */
  readonly lastUsedAt: Date
}

/** The requests charged to a counter on a day. */
export interface DayUsage {
  readonly counter: string
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly used: number
}

/** The operator's switches, which can be changed while the service runs. */
export interface Switches {
  readonly maintenance: boolean
  readonly apiOff: boolean
}

/** The secrets with which keys can be used, by the pepper that they are hashed with. */
export interface PepperCount {
  /** Id of the pepper; null for the first pepper of the store. */
  readonly pepper: string | null
  readonly secrets: number
}

export interface KeyStore {
  /** Finds the key that has a secret with this hash. Revoked and expired keys are found too. */
  findKey(hash: string): Promise<Key | null>
  getKey(id: string): Promise<Key | null>
  /** All keys, ordered by their creation. */
  listKeys(): Promise<readonly Key[]>
  /** Counts the secrets of keys that are neither revoked nor expired, without those that have expired. In any order. */
  countPeppers(now: Date): Promise<readonly PepperCount[]>
  /** Creates a key that has no account. */
  createKey(key: Key): Promise<void>
  /** The slots of an account that have ever had a key, or those of all accounts; ordered by account and number. */
  listSlots(account?: string): Promise<readonly KeySlot[]>
  /** All keys of an account, revoked ones included, ordered by their creation. */
  listAccountKeys(account: string): Promise<readonly Key[]>
  /**
   * Creates a key of an account, with the account's plan, unless the account already has `limit` keys that are not revoked. The key
   * takes the lowest free slot and continues its counts. Atomic across all processes.
   * @param key `account` is set
   * @returns false if nothing was created: the account has as many keys, does not exist or is suspended, or there is a key with this id
   */
  createAccountKey(key: Key, limit: number): Promise<boolean>
  /**
   * Creates the first key of an account, with the account's plan. Atomic across all processes.
   * @param key `account` is set
   * @returns false if nothing was created: the account has, or has had, a key, does not exist, or is suspended
   */
  createDefaultKey(key: Key): Promise<boolean>
  /**
   * Attaches a key to an account, even beyond the plan's number of keys. The key gets the account's plan, and a slot that had no
   * key before, so that it keeps its counts and does not share those of others.
   * @returns false if nothing was changed: the key is revoked, belongs to an account, or does not exist, or the account
   * does not exist or is suspended
   */
  attachKey(id: string, account: string): Promise<boolean>
  /** @returns false if there is no such key */
  renameKey(id: string, name: string): Promise<boolean>
  /** Revokes a key, which frees its slot. The slot keeps its counts. A key that is already revoked keeps its time of revocation. @returns false if there is no such key */
  revokeKey(id: string, at: Date): Promise<boolean>
  /** Adds a new secret in front of the others. @returns false if there is no such key, or if it is revoked */
  rotateKey(id: string, rotation: Rotation): Promise<boolean>
  /** @returns false if there is no such key */
  setPlan(id: string, plan: string): Promise<boolean>
  /** Changes values of a key, in one atomic update. @returns false if there is no such key */
  changeKey(id: string, change: KeyChange): Promise<boolean>
  /** Deletes a key with its secrets. Its slot is freed and keeps its counts. @returns false if there is no such key */
  deleteKey(id: string): Promise<boolean>
}

export interface UsageStore {
  /** The number of requests charged to a counter in a month (`YYYY-MM`). */
  usedBy(counter: string, month: string): Promise<number>
  /**
   * Charges a request, or several together, to their day and their month, in one atomic update, unless the month's quota does not suffice.
   * Durable when it resolves.
   * @returns the number of requests charged in the month, including these; null if the quota does not suffice and nothing was charged
   */
  charge(charge: Charge): Promise<number | null>
  /** Records a use without charging it. @returns the number of requests charged in the month */
  touch(use: CounterUse): Promise<number>
  /** The time of the last charge or touch; null if there was none. */
  lastUsed(counter: string): Promise<Date | null>
  /** The months from `since` (`YYYY-MM`) on in which one of the counters was used. One query, in any order. */
  listMonths(counters: readonly string[], since: string): Promise<readonly MonthUsage[]>
  /** The usage of all counters in a month (`YYYY-MM`). In any order. */
  listMonth(month: string): Promise<readonly MonthUsage[]>
  /** The days of the months from `first` to `last` (`YYYY-MM`) on which one of the counters was charged. One query, in any order. */
  listDays(counters: readonly string[], first: string, last?: string): Promise<readonly DayUsage[]>
}

/** Selects the months and days of usage to read; all `YYYY-MM`. */
export interface UsageSpan {
  /** The first of the months. */
  readonly since: string
  /** The first month with days; not before `since`. */
  readonly first: string
  /** The last month with days. */
  readonly last: string
}

/** The keys of an account, its slots and their usage. */
export interface AccountUsage {
  /** Includes revoked ones, oldest first. */
  readonly keys: readonly Key[]
  /** Those that have ever had a key, in the order of their numbers. */
  readonly slots: readonly KeySlot[]
  /** The months from `since` on in which a slot was used, in any order. */
  readonly months: readonly MonthUsage[]
  /**
   * The days of the months from `first` to `last` on which a slot was charged, in any order. Not older than the months: no charge
   * is in a month and not yet in its days.
   */
  readonly days: readonly DayUsage[]
}

/** Selects one page of the list of accounts. */
export interface AccountQuery {
  /** Part of an e-mail address or name, in any case; an empty text matches all. */
  readonly search: string
  /** Month of the usage, `YYYY-MM`. */
  readonly month: string
  readonly offset: number
  readonly limit: number
}

/** The accounts of people. Credentials and sessions belong to better-auth, which stores them in the same database. */
export interface AccountStore {
  getAccount(id: string): Promise<Account | null>
  /** @param email in any case */
  findAccount(email: string): Promise<Account | null>
  /** A page of accounts, newest first, each with its number of keys and the usage of its slots in the month, and the number of all matches. */
  listAccounts(query: AccountQuery): Promise<{ readonly accounts: readonly AccountSummary[]; readonly total: number }>
  /** Reads the keys of an account, its slots and their usage, in one query to a server. */
  readUsage(account: string, span: UsageSpan): Promise<AccountUsage>
  /** Changes the plan of an account and of all its keys. Repeatable after a failure. @returns false if there is no such account */
  setAccountPlan(id: string, plan: string): Promise<boolean>
  /** Changes the contact address of all keys of an account, which has a new e-mail address. Repeatable after a failure. */
  setKeyEmails(account: string, email: string): Promise<void>
  /**
   * Marks the address of an account as verified, and ends its sessions: they may be those of another person. Repeatable after a
   * failure.
   * @returns false if there is no such account, or if it has another address by now
   */
  verifyAccount(id: string, email: string): Promise<boolean>
  /**
   * Suspends an account and all its keys, and ends its sessions; null lifts the suspension. Repeatable after a failure.
   * @returns false if there is no such account
   */
  suspendAccount(id: string, at: Date | null): Promise<boolean>
  /**
   * Deletes an account with its credentials, sessions, pending verifications and stored scans. Its keys are revoked and lose name
   * and e-mail address; their usage is kept. Repeatable after a failure. @returns false if there is no such account
   */
  deleteAccount(id: string, at: Date): Promise<boolean>
  createInvite(invite: Invite): Promise<void>
  /** Finds an invitation that has not expired, and keeps it. */
  findInvite(hash: string, now: Date): Promise<Invite | null>
  /** Deletes an invitation. Atomic across all processes: of concurrent calls exactly one returns true. */
  useInvite(hash: string, now: Date): Promise<boolean>
  /** Stores a scan of an account and deletes all but its `keep` newest ones. Stores nothing if the account does not exist. */
  addScan(scan: StoredScan, keep: number): Promise<void>
  /** The scans of an account without their entries, newest first. */
  listScans(account: string): Promise<readonly ScanHead[]>
  /** @returns null if the account has no such scan */
  getScan(account: string, id: string): Promise<StoredScan | null>
}

export interface AuditQuery {
  /** Entries about this account; null for all entries. */
  readonly account: string | null
  /** Only entries with one of these actions; absent for all. */
  readonly actions?: readonly AuditAction[]
  /** Only entries from this time on; absent for all. */
  readonly since?: Date
  /** Absent for all. */
  readonly limit?: number
}

/**
 * The audit log: actions on accounts, keys and the service. An event becomes an entry of its own, or is merged into one of its day
 * (`findAuditRule`). Entries are deleted by their age, and harmless ones also by their number.
 */
export interface AuditStore {
  addAudit(event: AuditEvent): Promise<void>
  /** The newest entries, newest first. */
  listAudit(query: AuditQuery): Promise<readonly AuditEntry[]>
  /** Deletes the entries whose last event was before a time. */
  deleteAudit(before: Date): Promise<void>
}

export interface SettingStore {
  switches(): Promise<Switches>
  setSwitches(change: Partial<Switches>): Promise<void>
  /** Stores a value permanently unless the name already has one. @returns the stored value */
  putIfAbsent(name: string, value: string): Promise<string>
  /** A value that `putIfAbsent` has stored; null if there is none. */
  findValue(name: string): Promise<string | null>
}

/**
 * The database in which better-auth keeps credentials and sessions. Only src/accounts uses it; every other access to durable data
 * is a method of the store.
 *
 * Opening a store creates the tables `accounts`, `sessions`, `credentials` and `verifications` with better-auth's own column names
 * (`emailVerified`, `userId`). Ids and references are strings in both stores, `_id` in MongoDB: src/accounts must set
 * `advanced.database.generateId` to a function, otherwise MongoDB's adapter converts them to ObjectId. SQLite stores dates as
 * ISO 8601 in UTC and booleans as 0 and 1; MongoDB stores its own types.
 */
export type AuthDatabase =
  | {
      readonly kind: 'sqlite'
      /** For reading. */
      readonly db: Database.Database
      /** Runs `work` in a transaction of its own, which is on the disk when this returns. @throws the error of `work` or of SQLite */
      readonly write: <T>(work: () => T) => T
    }
  /** The client is replaced when it loses connections: read it again for every request. */
  | { readonly kind: 'mongodb'; readonly get: () => { readonly client: MongoClient; readonly db: Db } }

/** The durable data of the service. Every method throws `StoreError` if the store cannot answer in time. */
export interface Store {
  readonly keys: KeyStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly batches: BatchStore
  readonly settings: SettingStore
  readonly authDatabase: AuthDatabase
  /**
   * Writes a probe value as durably as a charge: a store that can only be read cannot serve requests.
   * @throws StoreError if the store cannot be written at the moment
   */
  ping(): Promise<void>
  /** The time of the server's clock; null for a store of this machine. */
  readClock(): Promise<Date | null>
  close(): Promise<void>
}

/** The store is down or took too long. The call may or may not have taken effect. */
export class StoreError extends Error {}
