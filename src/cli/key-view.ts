import { SECRET_PREFIX } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'

/** What people see of a key: nothing that could be used as one. */
export interface KeyView {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly plan: string
  readonly revision: 1 | 2 | null
  /** The newest secret: how it begins, and its last four characters. */
  readonly secret: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

/** How people tell a secret that they have from others. */
export function maskSecret({ lastFour }: Key['secrets'][number]): string {
  return `${SECRET_PREFIX}…${lastFour}`
}

export function viewKey(key: Key, lastUsedAt: Date | null): KeyView {
  const { id, name, email, plan, revision, createdAt, revokedAt } = key
  const secret = key.secrets.slice(0, 1).map(maskSecret).join()
  return { id, name, email, plan, revision, secret, createdAt, lastUsedAt, revokedAt }
}

const TITLES = ['ID', 'NAME', 'EMAIL', 'PLAN', 'REVISION', 'KEY', 'CREATED', 'LAST USED', 'REVOKED']

/** A table for people: times in UTC to the minute, a hyphen for what there is none of. */
export function tableOf(views: readonly KeyView[]): string {
  const rows = [TITLES, ...views.map((view) => Object.values(view).map(cellOf))]
  const widths = TITLES.map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cellOf(value: KeyView[keyof KeyView]): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ')
  return value === null ? '-' : String(value)
}
