import { SECRET_PREFIX } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'
import { formatRows } from './rows.ts'

/** What the commands show of a key. It contains no secret. */
export interface KeyView {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly plan: string
  /** E-mail address of its account, or the account's id if it was deleted. */
  readonly account: string | null
  readonly revision: 1 | 2 | null
  /** The newest secret, masked: its prefix and its last four characters. */
  readonly secret: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly suspendedAt: Date | null
  readonly revokedAt: Date | null
}

/** Masks a secret so that its owner still recognizes it. */
export function maskSecret({ lastFour }: Key['secrets'][number]): string {
  return `${SECRET_PREFIX}…${lastFour}`
}

export function viewKey(key: Key, { account, lastUsedAt }: Pick<KeyView, 'account' | 'lastUsedAt'>): KeyView {
  const { id, name, email, plan, revision, createdAt, revokedAt, suspendedAt } = key
  const secret = key.secrets.slice(0, 1).map(maskSecret).join()
  return { id, name, email, plan, account, revision, secret, createdAt, lastUsedAt, suspendedAt, revokedAt }
}

const TITLES = [
  ...['ID', 'NAME', 'EMAIL', 'PLAN', 'ACCOUNT', 'REVISION', 'KEY'],
  ...['CREATED', 'LAST USED', 'SUSPENDED', 'REVOKED'],
]

/** Formats keys as a table: times in UTC to the minute, a hyphen for a missing value. */
export function formatKeys(views: readonly KeyView[]): string {
  return formatRows(
    TITLES,
    views.map((view) => Object.values(view)),
  )
}
