import { dictionary } from '@zxcvbn-ts/language-common'
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
  const normalized = password.normalize('NFKC').trim().toLowerCase()
  if (COMMON_PASSWORDS.has(normalized) || new Set(normalized).size < 3) throw new AccountError('common_password')
}

/** Whether a password may be that of an account. Hashing text of any length would cost a client nothing and the server much. */
export function isPossiblePassword(password: string): boolean {
  return countCharacters(password) <= MAX_PASSWORD_LENGTH
}

/** Counts code points; any number above the maximum stands for a longer text, which is not counted. */
function countCharacters(text: string): number {
  return text.length > 2 * MAX_PASSWORD_LENGTH ? text.length : [...text].length
}
