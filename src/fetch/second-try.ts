import { wait } from '../async/wait.ts'
import { findHeaders } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'

/** Statuses with which a site asks for a later request (RFC 6585, 4; RFC 9110, 15.6.4). */
const LATER_STATUSES: ReadonlySet<number> = new Set([429, 503])
/** The longest `Retry-After` that a scan waits for. */
const MAX_WAIT_MS = 5000
/** The part of the scan's time that must be left for the second request. */
const MIN_REST_MS = 1000
/** The date format that servers must send (RFC 9110, 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * One request of a scan may be sent a second time: after a reset connection, or after the time for which the site has asked.
 * A scan has one second try in total, so a hostile site cannot double the number of its requests.
 */
export class SecondTry {
  readonly #session: Session
  #isUsed = false

  constructor(session: Session) {
    this.#session = session
  }

  /**
   * Sends a request, and sends it again if the connection was closed before the first byte of a response.
   * @throws what `send` throws
   */
  async onReset(send: () => Promise<SiteResponse>): Promise<SiteResponse> {
    try {
      return await send()
    } catch (error) {
      if (this.#isUsed || !this.#session.isUnanswered(error)) throw error
      this.#isUsed = true
      return await send()
    }
  }

  /** Milliseconds after which the request of this response may be sent again; null if it may not. */
  findWait(response: SiteResponse): number | null {
    if (this.#isUsed || !LATER_STATUSES.has(response.status)) return null
    const waitMs = parseRetryAfter(response)
    return waitMs !== null && waitMs <= MAX_WAIT_MS ? waitMs : null
  }

  /**
   * Waits before a request is sent again.
   * @returns false, without waiting, if too little of the scan's time would be left
   * @throws the signal's reason when the session aborts
   */
  async wait(ms: number): Promise<boolean> {
    if (ms + MIN_REST_MS > this.#session.remainingMs) return false
    this.#isUsed = true
    await wait(ms, this.#session.signal)
    return true
  }
}

/**
 * Parses `Retry-After`: seconds, or a date, which is compared with the clock of the server if it sends `Date`.
 * @returns milliseconds, 0 for a time that has passed; null if the header is missing, repeated or malformed
 */
export function parseRetryAfter(response: Pick<SiteResponse, 'headers'>, now = Date.now()): number | null {
  const values = findHeaders(response, 'retry-after')
  if (values.length !== 1) return null
  const text = values[0].trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const until = parseHttpDate(text)
  if (until === null) return null
  const sent = parseHttpDate(findHeaders(response, 'date')[0] ?? '')
  return Math.max(0, until - (sent ?? now))
}

function parseHttpDate(text: string): number | null {
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : time
}
