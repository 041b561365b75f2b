import type { Key, KeySecret } from '../../keys/types.ts'

interface SecretRow extends Pick<KeySecret, 'hash' | 'lastFour'> {
  readonly expiresAt: number | null
  readonly pepper: string | null
}

/** A key as SQLite returns it in JSON, because the binding ends a text column at its first NUL. Times are in milliseconds. */
interface KeyRow extends Omit<Key, 'createdAt' | 'revokedAt' | 'suspendedAt' | 'expiresAt' | 'secrets'> {
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly suspendedAt: number | null
  readonly expiresAt: number | null
  readonly secrets: readonly SecretRow[]
}

/** Selects keys with their secrets. A condition may follow. */
export const SELECT_KEY = `SELECT json_object(
    'id', id, 'name', name, 'email', email, 'plan', plan, 'revision', revision, 'account', account,
    'counter', coalesce(counter, id),
    'createdAt', created_at, 'revokedAt', revoked_at, 'suspendedAt', suspended_at,
    'expiresAt', expires_at, 'perMinute', per_minute, 'perMonth', per_month,
    'secrets', json((
      SELECT json_group_array(
        json_object('hash', hash, 'lastFour', last_four, 'expiresAt', expires_at, 'pepper', pepper) ORDER BY place DESC
      ) FROM secrets WHERE secrets.key = keys.id
    ))
  ) AS json FROM keys`

/** Converts a row of `SELECT_KEY`. @returns null for no row */
export function parseKey(row: unknown): Key | null {
  if (row === undefined) return null
  const key = JSON.parse((row as { readonly json: string }).json) as KeyRow
  return {
    ...key,
    createdAt: new Date(key.createdAt),
    revokedAt: toDate(key.revokedAt),
    suspendedAt: toDate(key.suspendedAt),
    expiresAt: toDate(key.expiresAt),
    secrets: key.secrets.map(parseSecret),
  }
}

function parseSecret({ expiresAt, pepper, ...secret }: SecretRow): KeySecret {
  return { ...secret, expiresAt: toDate(expiresAt), ...(pepper !== null && { pepper }) }
}

export function toTimestamp(date: Date | null): number | null {
  return date === null ? null : date.getTime()
}

function toDate(timeMs: number | null): Date | null {
  return timeMs === null ? null : new Date(timeMs)
}
