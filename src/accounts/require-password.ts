import { AccountError } from './accounts.ts'
import type { AccountParts } from './parts.ts'
import { isPossiblePassword } from './password-rules.ts'
import type { Visitor } from './types.ts'

export interface PasswordToCheck {
  /** The address by which attempts are counted. */
  readonly email: string
  readonly password: string
  /** Null if there is no such account: the comparison takes the same time, and fails. */
  readonly hash: string | null
}

/**
 * Compares a password with its hash. The attempt is counted first, so concurrent attempts cannot pass the limit.
 * @throws AccountError
 */
export async function requirePassword(
  { attempts, hasher }: Pick<AccountParts, 'attempts' | 'hasher'>,
  { email, password, hash }: PasswordToCheck,
  { now }: Visitor,
  code: 'wrong_login' | 'wrong_password',
): Promise<void> {
  await attempts.countPassword(email, now)
  if (!(isPossiblePassword(password) && (await hasher.verify(password, hash)))) throw new AccountError(code)
}
