import type Database from 'libsql'
import type { Key, KeySecret } from '../../keys/types.ts'
import type { Store } from '../types.ts'
import { firstRow } from './row.ts'

/** A key as SQLite writes it in JSON: read as a column, a text would end at its first NUL. Times are milliseconds. */
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

/** The tables of keys and secrets. What takes several statements needs a transaction around it. */
export class SqliteKeys {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: Database.Database) {
    this.#sql = prepare(db)
  }

  find(hash: string): Key | null {
    return toKey(firstRow(this.#sql.find, hash))
  }

  get(id: string): Key | null {
    return toKey(firstRow(this.#sql.get, id))
  }

  list(): Key[] {
    return this.#sql.list.all().flatMap((row) => toKey(row) ?? [])
  }

  create({ id, name, email, plan, revision, createdAt, revokedAt, secrets }: Key): void {
    this.#sql.insert.run(id, name, email, plan, revision, createdAt.getTime(), timeOf(revokedAt))
    for (const secret of secrets.toReversed()) this.#add(id, secret)
  }

  revoke(id: string, at: Date): boolean {
    return this.#sql.revoke.run(at.getTime(), id).changes === 1
  }

  rotate(id: string, { secret, oldEndAt, now }: Parameters<Store['rotateKey']>[1]): boolean {
    if (firstRow(this.#sql.isActive, id) === undefined) return false
    this.#sql.dropEnded.run(id, now.getTime())
    this.#sql.endOld.run(oldEndAt.getTime(), oldEndAt.getTime(), id)
    this.#add(id, secret)
    return true
  }

  setPlan(id: string, plan: string): boolean {
    return this.#sql.setPlan.run(plan, id).changes === 1
  }

  #add(key: string, { hash, lastFour, expiresAt }: KeySecret): void {
    this.#sql.addSecret.run(key, hash, lastFour, timeOf(expiresAt))
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
    dropEnded: db.prepare('DELETE FROM secrets WHERE key = ? AND expires_at < ?'),
    endOld: db.prepare('UPDATE secrets SET expires_at = min(coalesce(expires_at, ?), ?) WHERE key = ?'),
    setPlan: db.prepare('UPDATE keys SET plan = ? WHERE id = ?'),
  }
}

function toKey(row: unknown): Key | null {
  if (row === undefined) return null
  const key = JSON.parse((row as { readonly json: string }).json) as KeyRow
  return {
    ...key,
    createdAt: new Date(key.createdAt),
    revokedAt: dateOf(key.revokedAt),
    secrets: key.secrets.map((secret) => ({ ...secret, expiresAt: dateOf(secret.expiresAt) })),
  }
}

function timeOf(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}

function dateOf(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs)
}
