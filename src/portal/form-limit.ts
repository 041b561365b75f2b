import { computeNextMinute, countSecondsUntil } from '../keys/calendar.ts'
import { type PageContext, PageError } from './page.ts'

/** Forms of a session, or of an address without a session, in a clock minute. */
export const MAX_FORMS_PER_MINUTE = 60

/**
 * Counts a form that is sent, whatever it does. Forms of people who are logged in count by session, so that other people cannot
 * use them up.
 * @throws PageError 429 after too many
 */
export async function countForm({ parts, sessionId, visitor, now }: PageContext): Promise<void> {
  const counter = sessionId === null ? `form:${visitor.address}` : `form:${sessionId}`
  const { count } = await parts.shared.countRequest({ counter, now, cost: 1 })
  if (count <= MAX_FORMS_PER_MINUTE) return
  const retryAfter = countSecondsUntil(computeNextMinute(now), now)
  throw new PageError(429, 'You sent many forms. Wait a minute, then try again.', { retryAfter })
}
