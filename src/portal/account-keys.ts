import { createHash } from 'node:crypto'
import { isVisibleLine } from '../accounts/form-rules.ts'
import { formatMonth } from '../keys/calendar.ts'
import { BASE62, hasExpired } from '../keys/key.ts'
import { findPlan, type Plan } from '../keys/plans.ts'
import type { Key, KeySecret } from '../keys/types.ts'
import { PageError, type SessionContext } from './page.ts'
import { findFirstMonth, type KeySlotUsage, listKeyUsage } from './usage.ts'

const HOUR_MS = 3_600_000

/** Choices of when the previous secrets end after a rotation: value of the form → label and milliseconds. */
export const OVERLAPS: ReadonlyMap<string, { readonly label: string; readonly ms: number }> = new Map([
  ['0', { label: 'At once', ms: 0 }],
  ['1h', { label: 'After 1 hour', ms: HOUR_MS }],
  ['24h', { label: 'After 24 hours', ms: 24 * HOUR_MS }],
  ['7d', { label: 'After 7 days', ms: 7 * 24 * HOUR_MS }],
])

/** Long enough to change a program, as on the command line. */
export const DEFAULT_OVERLAP = '24h'

/** A key with more valid secrets cannot be rotated with overlap: each of them is read with the key. */
export const MAX_VALID_SECRETS = 10

/** Maximum number of keys that one account may create or rotate in a clock minute. */
const MAX_CHANGES_PER_MINUTE = 20

const UNKNOWN_KEY = 'You have no such key.'

/** Finds the key in the path of the request. @throws PageError 404 if there is none, or if it belongs to another account */
export async function findOwnKey({ parts, account, params }: SessionContext): Promise<Key> {
  const key = await parts.store.keys.getKey(params.id)
  if (key === null || key.account !== account.id) throw new PageError(404, UNKNOWN_KEY)
  return key
}

/** Finds the key in the path of the request with the usage of its slot this month. @throws PageError 404 as `findOwnKey` does */
export async function findOwnKeyUsage(context: SessionContext): Promise<KeySlotUsage> {
  const usage = (await readAllKeyUsage(context)).find(({ key }) => key.id === context.params.id)
  if (usage === undefined) throw new PageError(404, UNKNOWN_KEY)
  return usage
}

/** Reads the keys of the account with the usage of their slots this month, and their last uses. */
export async function readAllKeyUsage({ parts, account, now }: SessionContext): Promise<readonly KeySlotUsage[]> {
  const month = formatMonth(now)
  const span = { since: findFirstMonth({ month, now }), first: month, last: month }
  return listKeyUsage(await parts.store.accounts.readUsage(account.id, span), { now, plans: parts.settings.plans })
}

/** The keys of the account that a scan can be charged to. */
export async function listUsableKeys({ parts, account, now }: SessionContext): Promise<readonly Key[]> {
  const keys = await parts.store.keys.listAccountKeys(account.id)
  return keys.filter((key) => isUsable(key, now))
}

/** Whether a scan can be charged to a key. */
export function isUsable(key: Key, now: number): boolean {
  return key.revokedAt === null && key.suspendedAt === null && !hasExpired(key, now)
}

export function findAccountPlan({ parts, account }: SessionContext): Plan {
  return findPlan(parts.settings.plans, account.plan)
}

/** Counts a change of the account's keys. @throws PageError 429 after too many */
export async function countKeyChange({ parts, account, now }: SessionContext): Promise<void> {
  const { count } = await parts.shared.countRequest({ counter: `keys of ${account.id}`, now, cost: 1 })
  if (count > MAX_CHANGES_PER_MINUTE) throw new PageError(429, 'You changed many keys. Wait a minute, then try again.')
}

/**
 * Reads the name of a key: 1 to 100 characters, see `isVisibleLine`.
 * @returns null if the text is not such a name
 */
export function readKeyName(text: string): string | null {
  return isVisibleLine(text, 100) ? text : null
}

/**
 * Builds the id of a key from the id of the form that creates it, so that a form that is sent twice creates one key.
 * @returns `key_` and 16 characters of base 62
 */
export function buildKeyId(account: string, form: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([account, form]))
    .digest()
  return `key_${[...digest.subarray(0, 16)].map((byte) => BASE62[byte % BASE62.length]).join('')}`
}

/** The secrets of a key that can be used, newest first. */
export function listValidSecrets({ secrets }: Key, now: number): readonly KeySecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > now)
}
