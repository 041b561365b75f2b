import { recordAudit } from '../accounts/audit.ts'
import { buildKey } from '../keys/key.ts'
import type { Account } from '../store/account-types.ts'
import type { PortalParts } from './parts.ts'

/** Name of the key that an account gets at sign-up. */
export const DEFAULT_KEY_NAME = 'Default key'

/**
 * Creates the first key of an account.
 * @returns its secret, to be shown once; null if the account has, or has had, a key
 * @throws StoreError if the store cannot answer: the key may exist. The keys page offers to create it if it does not
 * exist
 */
export async function createDefaultKey(
  { id, email, plan }: Account,
  { store, pepper, log }: Pick<PortalParts, 'store' | 'pepper' | 'log'>,
  now: number,
): Promise<string | null> {
  const { key, secret } = buildKey({
    name: DEFAULT_KEY_NAME,
    email,
    account: id,
    plan,
    revision: null,
    now: new Date(now),
    pepper,
  })
  if (!(await store.keys.createDefaultKey(key))) return null
  await recordAudit(store, { at: key.createdAt, action: 'key_created', actor: id, account: id, key: key.id }, log)
  return secret
}
