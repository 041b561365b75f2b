import type { FoundAccount } from './account-writer.ts'
import type { AccountParts } from './parts.ts'

/**
 * Replaces the password of an account. Sessions end before and after the change: a log-in with the former password may be in
 * progress.
 * @returns false if the password was changed in the meantime
 */
export async function replacePassword(
  { sessions, writer }: Pick<AccountParts, 'sessions' | 'writer'>,
  { account, passwordHash }: FoundAccount,
  hash: string,
): Promise<boolean> {
  await sessions.endAll(account.id)
  if (!(await writer.replacePassword(account.id, passwordHash, hash))) return false
  await sessions.endAll(account.id)
  return true
}
