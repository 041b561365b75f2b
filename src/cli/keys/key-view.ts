import { SECRET_PREFIX } from '../../keys/key.ts'
import { findLimits, type Plan } from '../../keys/plans.ts'
import type { Key } from '../../keys/types.ts'
import { formatRows } from '../command/format-rows.ts'
import { describePepper, type PepperState, type Peppers } from './pepper-state.ts'

/** A key as the commands show it. It contains no secret. */
export interface KeyView {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly plan: string
  /** E-mail address of its account, or the account's id if it was deleted. */
  readonly account: string | null
  /** Number of its slot in the account, from 1 on; that in which it was if it is revoked. Null without an account. */
  readonly slot: number | null
  readonly revision: 1 | 2 | null
  /** The newest secret, masked: its prefix and its last four characters. */
  readonly secret: string
  /**
   * The pepper that its secrets are hashed with: the current one, KEY_PEPPER_OLD for some or all of them, or one that
   * is not set, in which case the secret is rejected. Null for a key that is revoked or has no valid secret.
   */
  readonly pepper: PepperState | null
  /**
   * Scans charged in the current month: those of its slot, if it has one, with any other keys that were in the slot. Null for a
   * revoked key of an account: its scans stay in the slot.
   */
  readonly used: number | null
  /** Scans that may be charged in a month: its own limit, or that of its plan. */
  readonly limit: number
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
  readonly suspendedAt: Date | null
  readonly revokedAt: Date | null
}

/** The data that a view of a key needs in addition to the key. */
interface KeyContextValues extends Pick<KeyView, 'account' | 'slot' | 'lastUsedAt'> {
  /** Scans charged to the counter of the key in the current month. */
  readonly charged: number
  readonly plans: ReadonlyMap<string, Plan>
  readonly peppers: Peppers
}

/** Masks a secret so that its owner still recognizes it. */
export function maskSecret({ lastFour }: Key['secrets'][number]): string {
  return `${SECRET_PREFIX}…${lastFour}`
}

export function viewKey(key: Key, { account, slot, lastUsedAt, charged, plans, peppers }: KeyContextValues): KeyView {
  const { id, name, email, plan, revision, createdAt, revokedAt, suspendedAt, expiresAt } = key
  const secret = key.secrets.slice(0, 1).map(maskSecret).join()
  const limit = findLimits(plans, key).perMonth
  const used = slot !== null && revokedAt !== null ? null : charged
  const times = { createdAt, lastUsedAt, expiresAt, suspendedAt, revokedAt }
  const pepper = describePepper(key, peppers)
  return { id, name, email, plan, account, slot, revision, secret, pepper, used, limit, ...times }
}

const TITLES = [
  ...['ID', 'NAME', 'EMAIL', 'PLAN', 'ACCOUNT', 'SLOT', 'REVISION', 'KEY', 'PEPPER', 'USED', 'LIMIT'],
  ...['CREATED', 'LAST USED', 'EXPIRES', 'SUSPENDED', 'REVOKED'],
]

/** Formats keys as a table: times in UTC to the minute, a hyphen for a missing value. */
export function formatKeys(views: readonly KeyView[]): string {
  return formatRows(
    TITLES,
    views.map((view) => Object.values(view)),
  )
}
