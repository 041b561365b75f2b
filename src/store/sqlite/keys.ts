import type Database from 'libsql'
import type { Key, KeySecret } from '../../keys/types.ts'
import type { KeyStore, Rotation } from '../types.ts'
import { readFirstRow, type SqliteConnection } from './connection.ts'
import { SqliteKeyCache } from './key-cache.ts'

/** A key as SQLite returns it in JSON, because the binding ends a text column at its first NUL. Times are in milliseconds. */
interface KeyRow extends Omit<Key, 'createdAt' | 'revokedAt' | 'secrets'> {
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly secrets: readonly (Omit<KeySecret, 'expiresAt'> & { readonly expiresAt: number | null })[]
}

const KEY = `SELECT json_object(
    'id', id, 'name', name, 'email', email, 'plan', plan, 'revision', revision,
    'createdAt', created_at, 'revokedAt', revoked_at,
    'secrets', json((
      SELECT json_group_array(
        json_object('hash', hash, 'lastFour', last_four, 'expiresAt', expires_at) ORDER BY place DESC
      ) FROM secrets WHERE secrets.key = keys.id
    ))
  ) AS json FROM keys`

/** The tables of keys and secrets. */
export class SqliteKeys implements KeyStore {
  readonly #connection: SqliteConnection
  readonly #sql: ReturnType<typeof prepare>
  readonly #cache: SqliteKeyCache

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#sql = prepare(connection.db)
    this.#cache = new SqliteKeyCache(connection.db, (hash) => parseKey(readFirstRow(this.#sql.find, hash)))
  }

  findKey(hash: string): Promise<Key | null> {
    return this.#connection.read(() => this.#cache.find(hash))
  }

  getKey(id: string): Promise<Key | null> {
    return this.#connection.read(() => parseKey(readFirstRow(this.#sql.get, id)))
  }

  listKeys(): Promise<readonly Key[]> {
    return this.#connection.read(() => this.#sql.list.all().flatMap((row) => parseKey(row) ?? []))
  }

  createKey({ id, name, email, plan, revision, createdAt, revokedAt, secrets }: Key): Promise<void> {
    return this.#write(() => {
      this.#sql.insert.run(id, name, email, plan, revision, createdAt.getTime(), toTimestamp(revokedAt))
      for (const secret of secrets.toReversed()) this.#addSecret(id, secret)
    })
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

  #addSecret(key: string, { hash, lastFour, expiresAt }: KeySecret): void {
    this.#sql.addSecret.run(key, hash, lastFour, toTimestamp(expiresAt))
  }

  #write<T>(work: () => T): Promise<T> {
    this.#cache.clear()
    return this.#connection.write(work)
  }
}

function prepare(db: Database.Database) {
  return {
    find: db.prepare(`${KEY} WHERE id = (SELECT key FROM secrets WHERE hash = ?)`),
    get: db.prepare(`${KEY} WHERE id = ?`),
    list: db.prepare(`${KEY} ORDER BY created_at, id`),
    insert: db.prepare('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)'),
    addSecret: db.prepare('INSERT INTO secrets (key, hash, last_four, expires_at) VALUES (?, ?, ?, ?)'),
    revoke: db.prepare('UPDATE keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'),
    isActive: db.prepare('SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NULL'),
    deleteExpired: db.prepare('DELETE FROM secrets WHERE key = ? AND expires_at < ?'),
    expireOld: db.prepare('UPDATE secrets SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key = ?'),
    setPlan: db.prepare('UPDATE keys SET plan = ? WHERE id = ?'),
  }
}

function parseKey(row: unknown): Key | null {
  if (row === undefined) return null
  const key = JSON.parse((row as { readonly json: string }).json) as KeyRow
  return {
    ...key,
    createdAt: new Date(key.createdAt),
    revokedAt: toDate(key.revokedAt),
    secrets: key.secrets.map((secret) => ({ ...secret, expiresAt: toDate(secret.expiresAt) })),
  }
}

function toTimestamp(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}

function toDate(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs)
}
