import type { ApiError, ApiErrorCode } from '../../errors.ts'
import { computeNextMinute, computeNextMonth } from '../../keys/calendar.ts'
import type { FieldErrors } from '../form-errors.ts'

/** Errors of the submitted URL. */
const URL_ERRORS: ReadonlySet<ApiErrorCode> = new Set(['invalid_url', 'blocked_target', 'invalid_request'])

/**
 * Turns the error of a scan into errors of its form. The sentences are those of the API, except for limits, which name
 * the time at which they end.
 */
export function explainScanError({ code, message, retryAfter = 0 }: ApiError, now: number): FieldErrors {
  if (URL_ERRORS.has(code)) return { url: message }
  if (code === 'rate_limited') {
    const time = new Date(computeNextMinute(now)).toISOString().slice(11, 16)
    return { '': `The requests of this key for this minute are used up. Try again in ${retryAfter} s, at ${time} UTC.` }
  }
  if (code === 'quota_exceeded') {
    const day = new Date(computeNextMonth(now)).toISOString().slice(0, 10)
    return { '': `The requests of this key for this month are used up. The next month begins on ${day} at 00:00 UTC.` }
  }
  return { '': message }
}
