import { dictionary } from '@zxcvbn-ts/language-common'
import type { Account } from '../store/account-types.ts'
import { AccountError } from './accounts.ts'

/** Lengths in code points, so that a character outside of the basic plane counts once. */
const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_LENGTH = 128

/** Common passwords in lower case. Shorter ones are rejected by their length. */
const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= MIN_PASSWORD_LENGTH),
)

/** @throws AccountError if the password is too short, too long, or common in any case */
export function checkPassword(password: string): void {
  const length = countCharacters(password)
  if (length < MIN_PASSWORD_LENGTH) throw new AccountError('short_password')
  if (length > MAX_PASSWORD_LENGTH) throw new AccountError('long_password')
  const normalized = normalize(password)
  if (COMMON_PASSWORDS.has(normalized) || new Set(normalized).size < 3) throw new AccountError('common_password')
}

/** @throws AccountError if the password is the name or the e-mail address of its owner, in any case */
export function checkNotPersonal(password: string, { name, email }: Pick<Account, 'name' | 'email'>): void {
  if ([name, email].some((text) => normalize(text) === normalize(password))) throw new AccountError('personal_password')
}

function normalize(text: string): string {
  return text.normalize('NFKC').trim().toLowerCase()
}

/**
 * Whether a password is short enough to be that of an account. Hashing longer texts would cost a client nothing and the
 * server much.
 */
export function isPossiblePassword(password: string): boolean {
  return countCharacters(password) <= MAX_PASSWORD_LENGTH
}

/** Counts code points; any number above the maximum stands for a longer text, which is not counted. */
function countCharacters(text: string): number {
  return text.length > 2 * MAX_PASSWORD_LENGTH ? text.length : [...text].length
}
