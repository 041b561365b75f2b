import { AccountError } from '../accounts/accounts.ts'
import { computeNextDay, computeNextMinute, countSecondsUntil } from '../keys/calendar.ts'

/** Name of a field → what is wrong with it. The name is '' for an error of the whole form. */
export type FieldErrors = Readonly<Record<string, string>>

export const NO_ERRORS: FieldErrors = {}

/** Error code → name of the field it belongs to. Other errors belong to the whole form. */
const FIELDS: Partial<Record<AccountError['code'], string>> = {
  wrong_password: 'password',
  no_password: 'password',
  invalid_email: 'email',
  invalid_name: 'name',
  short_password: 'password',
  long_password: 'password',
  common_password: 'password',
  personal_password: 'password',
  address_taken: 'email',
}

/** Error code of a limit → when the next try can succeed. */
const NEXT_TRY: Partial<Record<AccountError['code'], (now: number) => number>> = {
  too_many_attempts: computeNextMinute,
  too_many_in_session: computeNextDay,
  too_many_today: computeNextDay,
  mails_used_up: computeNextDay,
}

/** The seconds of `Retry-After` of an error with status 429; null for any other error. */
export function findRetryAfter(error: unknown, now: number): number | null {
  const computeNextTry = error instanceof AccountError ? NEXT_TRY[error.code] : undefined
  return computeNextTry === undefined ? null : countSecondsUntil(computeNextTry(now), now)
}

/**
 * Converts an error of an account to errors of a form.
 * @param fields error code → field, in addition to the usual ones
 * @throws the error itself if the person cannot correct it
 */
export function toFieldErrors(error: unknown, fields: Partial<Record<AccountError['code'], string>> = {}): FieldErrors {
  if (!(error instanceof AccountError)) throw error
  return { [{ ...FIELDS, ...fields }[error.code] ?? '']: error.message }
}
