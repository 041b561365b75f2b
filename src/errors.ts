/** What an operator or author set wrong; `message` says what to do. Nothing of it is secret. */
export class SetupError extends Error {}

/** A page that took more time or memory than one page may. */
export class PageLimitError extends Error {
  readonly code = 'scan_failed'

  /** @param timeoutMs what the page was given */
  constructor(timeoutMs: number, options?: { readonly cause?: unknown }) {
    const limit = options?.cause === undefined ? `longer than ${timeoutMs / 1000} s` : 'more memory than one page may'
    super(`the page took ${limit} to match`, options)
    this.name = 'PageLimitError'
  }
}

/** What a scan can fail with. */
export type ScanErrorCode = 'invalid_url' | 'blocked_target' | 'scan_failed' | 'scan_timeout' | 'unavailable'

/** The sentence for a scan that found no room in time: in the queue for scans, or in the queue for a worker. */
export const TOO_MANY_SCANS = 'Too many scans are running. Try again in a moment.'

// What only DNS, connecting or a redirect shows is told in the words for a name that is unknown: nobody can ask us which
// internal names exist.
const UNKNOWN = 'The site was not found. Check the address, then try again.'

/** Cause, for the log alone → code and the sentence that callers read. No sentence shows an address, a path or a stack. */
export const SCAN_CAUSES = {
  not_a_url: [
    'invalid_url',
    'url must be an absolute URL such as https://example.org, of at most 2048 characters, without credentials.',
  ],
  not_public: ['blocked_target', 'This host is not a public name or address. Only public websites are scanned.'],
  port_refused: ['blocked_target', 'This port is not scanned. Leave the port out of the URL.'],
  denied: ['blocked_target', 'The owner of this host has opted out of scanning.'],
  own_host: ['blocked_target', 'This is the address of this service, which does not scan itself.'],
  name_not_found: ['scan_failed', UNKNOWN],
  address_refused: ['scan_failed', UNKNOWN],
  redirect_refused: ['scan_failed', UNKNOWN],
  unreachable: ['scan_failed', 'The site could not be reached. Check that it is up, then try again.'],
  connection_refused: ['scan_failed', 'The site refused the connection. Check that it is up, then try again.'],
  connection_reset: ['scan_failed', 'The site closed the connection before it had answered. Try again later.'],
  tls_invalid: [
    'scan_failed',
    "The site's certificate is not valid for its name. Check the address, or try it with http.",
  ],
  too_many_redirects: ['scan_failed', 'The site redirects more than 5 times. Scan the address that it leads to.'],
  redirect_loop: ['scan_failed', 'The site redirects in a circle. Scan another of its pages.'],
  protocol_error: ['scan_failed', 'The site did not answer in valid HTTP. Try again later.'],
  header_overflow: ['scan_failed', 'The site sent more headers than are read. Try another of its pages.'],
  worker_killed: ['scan_failed', 'The page took too long to analyse. Try another page of the site.'],
  killer_site: [
    'scan_failed',
    'A page of this site took too long to analyse less than a minute ago. Try again in a minute, with another page.',
  ],
  internal: ['scan_failed', 'The scan failed. Try again later.'],
  deadline: ['scan_timeout', 'The site did not answer in time. Try again later.'],
  busy: ['unavailable', TOO_MANY_SCANS],
} as const satisfies Record<string, readonly [ScanErrorCode, string]>
export type ScanCause = keyof typeof SCAN_CAUSES

/**
 * Why a scan came to nothing. `message` is a sentence for the caller, `code` is stable, `reason` and `cause` are for the
 * log alone: they may name addresses.
 */
export class ScanError extends Error {
  readonly code: ScanErrorCode
  readonly reason: ScanCause

  constructor(reason: ScanCause, options?: { readonly cause?: unknown }) {
    const [code, sentence] = SCAN_CAUSES[reason]
    super(sentence, options)
    this.name = 'ScanError'
    this.code = code
    this.reason = reason
  }
}

/** Code of an answer of the API → its status and the sentence that callers read, unless a better one is at hand. */
export const API_ERRORS = {
  invalid_url: [400, SCAN_CAUSES.not_a_url[1]],
  invalid_request: [400, 'The request is not valid.'],
  blocked_target: [400, SCAN_CAUSES.not_public[1]],
  unauthorized: [
    401,
    'The API key is missing, invalid or revoked. Send it as "Authorization: Bearer <key>" or "X-Api-Key: <key>".',
  ],
  not_found: [404, 'There is nothing at this path.'],
  method_not_allowed: [405, 'This method is not allowed here. The Allow header names those that are.'],
  rate_limited: [429, 'Too many requests in this minute. Try again after the seconds that Retry-After names.'],
  quota_exceeded: [
    429,
    "The plan's requests of this month are used up. Try again after the seconds that Retry-After names.",
  ],
  scan_failed: [500, SCAN_CAUSES.internal[1]],
  scan_timeout: [500, SCAN_CAUSES.deadline[1]],
  internal: [500, 'Something went wrong on our side. Try again later.'],
  maintenance: [503, 'The service is being maintained. Try again later.'],
  unavailable: [503, 'The service cannot answer at the moment. Try again later.'],
} as const satisfies Record<string, readonly [number, string]>
export type ApiErrorCode = keyof typeof API_ERRORS

/**
 * Why a response is 5xx, for the log and the metric: a closed list, and never sent to the client. Failed scans have the
 * reasons of `SCAN_CAUSES` as well. docs/operating.md says what to do about each.
 */
export const SERVICE_REASONS = [
  'maintenance',
  'api_off',
  'queue_full',
  'queue_timeout',
  'store_away',
  'charge_in_doubt',
  'draining',
  'unexpected',
] as const
export type FailureReason = (typeof SERVICE_REASONS)[number] | ScanCause

/** An error response of the API. `message` is a sentence for the client; `reason` and `cause` are for the log alone. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly status: number
  /** Seconds, for `Retry-After`: on 429 alone. */
  readonly retryAfter: number | undefined
  /** Set exactly on errors of 500 and above. */
  readonly reason: FailureReason | undefined

  constructor(code: ApiErrorCode, { sentence, retryAfter, reason, cause }: ApiErrorOptions = {}) {
    const [status, usual] = API_ERRORS[code]
    super(sentence ?? usual, { cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
    this.reason = status < 500 ? undefined : (reason ?? 'unexpected')
  }
}

interface ApiErrorOptions {
  readonly sentence?: string
  readonly retryAfter?: number
  readonly reason?: FailureReason
  readonly cause?: unknown
}
