import { AccountError } from './accounts.ts'
import type { Guess } from './guesses.ts'
import type { PasswordHasher } from './password-hasher.ts'
import { isPossiblePassword } from './password-rules.ts'

export interface PasswordToCheck {
  /** The guess, which was counted before: concurrent guesses cannot pass the limits. */
  readonly guess: Guess
  readonly password: string
  /** Null if there is no such account: the comparison takes the same time, and fails. */
  readonly hash: string | null
}

/** Compares a password with its hash. @throws AccountError `code` if it is wrong */
export async function requirePassword(
  hasher: PasswordHasher,
  { guess, password, hash }: PasswordToCheck,
  code: 'wrong_login' | 'wrong_password',
): Promise<void> {
  const isRight = isPossiblePassword(password) && (await hasher.verify(password, hash, guess.client))
  if (!isRight) throw new AccountError(code)
  await guess.succeed()
}
