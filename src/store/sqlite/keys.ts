import type Database from 'libsql'
import type { Key, KeySecret } from '../../keys/types.ts'
import { findFreeSlot } from '../free-slot.ts'
import type { KeyChange, KeySlot, KeyStore, PepperCount, Rotation } from '../types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'
import type { SqliteKeyCache } from './key-cache.ts'
import { parseKey, SELECT_KEY, toTimestamp } from './key-row.ts'
import { SqliteSlots } from './slots.ts'

/** The tables of keys and secrets. */
export class SqliteKeys implements KeyStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>
  readonly #cache: SqliteKeyCache
  readonly #slots: SqliteSlots

  constructor(connection: SqliteConnection, cache: SqliteKeyCache) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
    this.#cache = cache
    this.#slots = new SqliteSlots(connection.db)
  }

  findKey(hash: string): Promise<Key | null> {
    return this.#connection.read(() => this.#cache.find(hash, () => parseKey(readFirstRow(this.#sql.find, hash))))
  }

  getKey(id: string): Promise<Key | null> {
    return this.#connection.read(() => parseKey(readFirstRow(this.#sql.get, id)))
  }

  listKeys(): Promise<readonly Key[]> {
    return this.#connection.read(() => this.#sql.list.all().flatMap((row) => parseKey(row) ?? []))
  }

  countPeppers(now: Date): Promise<readonly PepperCount[]> {
    const time = now.getTime()
    return this.#connection.read(() => this.#sql.countPeppers.all(time, time) as PepperCount[])
  }

  listAccountKeys(account: string): Promise<readonly Key[]> {
    return this.#connection.read(() => this.#sql.listOfAccount.all(account).flatMap((row) => parseKey(row) ?? []))
  }

  listSlots(account?: string): Promise<readonly KeySlot[]> {
    return this.#connection.read(() => this.#slots.list(account))
  }

  createKey(key: Key): Promise<void> {
    return this.#write(() => this.#insert(key, null))
  }

  createAccountKey(key: Key, limit: number): Promise<boolean> {
    return this.#createFor(
      key.account,
      (account) => {
        const occupied = this.#slots.listOccupied(account)
        if (occupied.length >= limit) return null
        return findFreeSlot(occupied)
      },
      key,
    )
  }

  createDefaultKey(key: Key): Promise<boolean> {
    return this.#createFor(key.account, (account) => (readFirstRow(this.#sql.hasKey, account) ? null : 0), key)
  }

  attachKey(id: string, account: string): Promise<boolean> {
    return this.#write(() => {
      const plan = this.#readPlan(account)
      if (plan === null) return false
      const slot = this.#slots.findUnused(account)
      if (this.#sql.attach.run(account, slot, plan, id).changes !== 1) return false
      this.#sql.setCounter.run(this.#slots.takeCounter(id, account, slot), id)
      return true
    })
  }

  renameKey(id: string, name: string): Promise<boolean> {
    return this.#write(() => this.#sql.rename.run(name, id).changes === 1)
  }

  revokeKey(id: string, at: Date): Promise<boolean> {
    return this.#write(() => this.#sql.revoke.run(at.getTime(), id).changes === 1)
  }

  rotateKey(id: string, { secret, oldEndAt, now }: Rotation): Promise<boolean> {
    return this.#write(() => {
      if (readFirstRow(this.#sql.isActive, id) === undefined) return false
      this.#sql.deleteExpired.run(id, now.getTime())
      this.#sql.expireOld.run(oldEndAt.getTime(), oldEndAt.getTime(), id)
      this.#addSecret(id, secret)
      return true
    })
  }

  setPlan(id: string, plan: string): Promise<boolean> {
    return this.#write(() => this.#sql.setPlan.run(plan, id).changes === 1)
  }

  changeKey(id: string, change: KeyChange): Promise<boolean> {
    return this.#write(() => {
      const key = parseKey(readFirstRow(this.#sql.get, id))
      if (key === null) return false
      const { email, expiresAt, perMinute, perMonth } = { ...key, ...change }
      return this.#sql.change.run(email, toTimestamp(expiresAt), perMinute, perMonth, id).changes === 1
    })
  }

  deleteKey(id: string): Promise<boolean> {
    return this.#write(() => {
      this.#sql.deleteSecrets.run(id)
      return this.#sql.delete.run(id).changes === 1
    })
  }

  /** @param findSlot returns the slot of the new key, or null if the account may not have one more */
  #createFor(account: string | null, findSlot: (account: string) => number | null, key: Key): Promise<boolean> {
    return this.#write(() => {
      const plan = account === null ? null : this.#readPlan(account)
      const slot = account === null || plan === null ? null : findSlot(account)
      if (account === null || plan === null || slot === null || readFirstRow(this.#sql.get, key.id) !== undefined)
        return false
      this.#insert({ ...key, plan, counter: this.#slots.takeCounter(key.id, account, slot) }, slot)
      return true
    })
  }

  /** Runs inside a transaction. */
  #insert({ id, name, email, plan, revision, account, perMinute, perMonth, ...key }: Key, slot: number | null): void {
    const counter = slot === null ? null : key.counter
    const times = [key.createdAt, key.revokedAt, key.suspendedAt, key.expiresAt].map(toTimestamp)
    this.#sql.insert.run(id, name, email, plan, revision, ...times, account, slot, counter, perMinute, perMonth)
    for (const secret of key.secrets.toReversed()) this.#addSecret(id, secret)
  }

  #addSecret(key: string, { hash, lastFour, expiresAt, pepper }: KeySecret): void {
    this.#sql.addSecret.run(key, hash, lastFour, toTimestamp(expiresAt), pepper ?? null)
  }

  /** @returns the plan of an account; null if it does not exist or is suspended */
  #readPlan(account: string): string | null {
    const row = readFirstRow<{ readonly json: string }>(this.#sql.readPlan, account)
    return row === undefined ? null : (JSON.parse(row.json) as string)
  }

  #write<T>(work: () => T): Promise<T> {
    this.#cache.clear()
    return this.#connection.write(work)
  }
}

function prepare(db: Database.Database) {
  return {
    find: db.prepare(`${SELECT_KEY} WHERE id = (SELECT key FROM secrets WHERE hash = ?)`),
    get: db.prepare(`${SELECT_KEY} WHERE id = ?`),
    list: db.prepare(`${SELECT_KEY} ORDER BY created_at, id`),
    countPeppers: db.prepare(
      `SELECT pepper, count(*) AS secrets FROM secrets JOIN keys ON keys.id = secrets.key
       WHERE revoked_at IS NULL AND coalesce(keys.expires_at > ?, 1) AND coalesce(secrets.expires_at > ?, 1) GROUP BY pepper`,
    ),
    listOfAccount: db.prepare(`${SELECT_KEY} WHERE account = ? ORDER BY created_at, id`),
    insert: db.prepare(
      `INSERT INTO keys (
         id, name, email, plan, revision, created_at, revoked_at, suspended_at, expires_at, account, slot, counter, per_minute,
         per_month
       ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    addSecret: db.prepare('INSERT INTO secrets (key, hash, last_four, expires_at, pepper) VALUES (?, ?, ?, ?, ?)'),
    hasKey: db.prepare('SELECT 1 FROM keys WHERE account = ? LIMIT 1'),
    readPlan: db.prepare('SELECT json_quote(plan) AS json FROM accounts WHERE id = ? AND suspendedAt IS NULL'),
    attach: db.prepare(
      'UPDATE keys SET account = ?, slot = ?, plan = ? WHERE id = ? AND account IS NULL AND revoked_at IS NULL',
    ),
    setCounter: db.prepare('UPDATE keys SET counter = ? WHERE id = ?'),
    rename: db.prepare('UPDATE keys SET name = ? WHERE id = ?'),
    revoke: db.prepare('UPDATE keys SET revoked_at = coalesce(revoked_at, ?), slot = NULL WHERE id = ?'),
    isActive: db.prepare('SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NULL'),
    deleteExpired: db.prepare('DELETE FROM secrets WHERE key = ? AND expires_at < ?'),
    expireOld: db.prepare('UPDATE secrets SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key = ?'),
    setPlan: db.prepare('UPDATE keys SET plan = ? WHERE id = ?'),
    change: db.prepare('UPDATE keys SET email = ?, expires_at = ?, per_minute = ?, per_month = ? WHERE id = ?'),
    deleteSecrets: db.prepare('DELETE FROM secrets WHERE key = ?'),
    delete: db.prepare('DELETE FROM keys WHERE id = ?'),
  }
}
