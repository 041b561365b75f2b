/** A wrong setting, file or environment. `message` tells the operator or rule author what to do and contains no secret. */
export class SetupError extends Error {}

/** Matching a page exceeded its limit of time or memory. */
export class PageLimitError extends Error {
  readonly code = 'scan_failed'

  /** @param timeoutMs the time limit of one page */
  constructor(timeoutMs: number, options?: { readonly cause?: unknown }) {
    const excess = options?.cause === undefined ? `took longer than ${timeoutMs / 1000} s` : 'needed too much memory'
    super(`the page ${excess} to match`, options)
    this.name = 'PageLimitError'
  }
}

/** Error codes of a failed scan. */
export type ScanErrorCode = 'invalid_url' | 'blocked_target' | 'scan_failed' | 'scan_timeout' | 'unavailable'

/** The message for a scan that timed out in a queue: the queue of the scan limiter or that of the worker pool. */
export const TOO_MANY_SCANS = 'Too many scans are running. Try again in a moment.'

// Causes that only DNS, a connection or a redirect reveals have the same message as an unknown name. Otherwise a client
// could find out which internal names exist.
const NOT_FOUND = 'The site was not found. Check the address.'
/** Marks a failed scan that the same request would repeat until the site or the URL changes. */
const LASTING = 'lasting'

/**
 * Cause, which only the log contains → error code and message for the client, and whether it lasts. No message shows an address,
 * a path or a stack.
 */
export const SCAN_CAUSES = {
  not_a_url: [
    'invalid_url',
    'url must be an absolute URL such as https://example.org, at most 2048 characters long and without credentials.',
  ],
  not_public: ['blocked_target', 'This host is not a public name or address. Only public websites can be scanned.'],
  port_refused: ['blocked_target', 'This port cannot be scanned. Remove the port from the URL.'],
  denied: ['blocked_target', 'The owner of this host has opted out of scanning.'],
  own_host: ['blocked_target', 'This is the address of this service, which does not scan itself.'],
  name_not_found: ['scan_failed', NOT_FOUND, LASTING],
  address_refused: ['scan_failed', NOT_FOUND, LASTING],
  redirect_refused: ['scan_failed', NOT_FOUND, LASTING],
  lookup_failed: ['scan_failed', NOT_FOUND],
  unreachable: ['scan_failed', 'The site could not be reached. Check that it is online, then try again.'],
  connection_refused: [
    'scan_failed',
    'The site refused the connection. Check the address, and that the site is online.',
    LASTING,
  ],
  connection_reset: ['scan_failed', 'The site closed the connection before it sent a response. Try again later.'],
  tls_invalid: [
    'scan_failed',
    'No secure connection to the site is possible. Check the address, or try it with http.',
    LASTING,
  ],
  too_many_redirects: [
    'scan_failed',
    'The site redirects more than 5 times. Scan the address it redirects to.',
    LASTING,
  ],
  redirect_loop: [
    'scan_failed',
    'The site redirects in a loop, even with its cookies. Check in a browser whether it opens.',
    LASTING,
  ],
  protocol_error: ['scan_failed', 'The site did not send a valid HTTP response. Try again later.'],
  header_overflow: [
    'scan_failed',
    'The response headers of the site are too large. Scan another page of the site.',
    LASTING,
  ],
  other_site: ['scan_failed', 'The page redirects to another site.', LASTING],
  robots_refused: [
    'scan_failed',
    'The robots.txt of its host does not permit reading it, or could not be read.',
    LASTING,
  ],
  worker_killed: ['scan_failed', 'The page took too long to analyze. Scan another page of the site.', LASTING],
  killer_site: [
    'scan_failed',
    'A page of this site took too long to analyze less than a minute ago. Wait a minute, then scan another page.',
  ],
  internal: ['scan_failed', 'The scan failed. Try again later.'],
  deadline: ['scan_timeout', 'The site did not respond in time. Try again later.'],
  busy: ['unavailable', TOO_MANY_SCANS],
} as const satisfies Record<string, readonly [ScanErrorCode, string, typeof LASTING?]>
export type ScanCause = keyof typeof SCAN_CAUSES

/**
 * A failed scan. `message` is for the client and `code` is stable. `reason` and `cause` are for the log only, because they
 * may contain addresses.
 */
export class ScanError extends Error {
  readonly code: ScanErrorCode
  readonly reason: ScanCause

  constructor(reason: ScanCause, { sentence, cause }: { readonly sentence?: string; readonly cause?: unknown } = {}) {
    const [code, usualSentence] = SCAN_CAUSES[reason]
    super(sentence ?? usualSentence, cause === undefined ? {} : { cause })
    this.name = 'ScanError'
    this.code = code
    this.reason = reason
  }
}

/** Error code of the API → HTTP status and default message for the client. */
export const API_ERRORS = {
  invalid_url: [400, SCAN_CAUSES.not_a_url[1]],
  invalid_request: [400, 'The request is not valid.'],
  blocked_target: [400, SCAN_CAUSES.not_public[1]],
  unauthorized: [
    401,
    'The API key is missing, invalid or revoked. Send it as "Authorization: Bearer <key>" or "X-Api-Key: <key>".',
  ],
  not_found: [404, 'There is nothing at this path.'],
  method_not_allowed: [405, 'This method is not allowed. The Allow header lists the allowed methods.'],
  payload_too_large: [413, 'The request body is too large.'],
  idempotency_conflict: [422, 'This Idempotency-Key was used with another request. Use a new key for each batch.'],
  misdirected_request: [
    421,
    'This service is not served under the host name of this request. Use its public URL. Its operator sets that URL as PUBLIC_URL, and other names in ALLOWED_HOSTS.',
  ],
  rate_limited: [
    429,
    'Too many requests in this minute. Wait for the number of seconds in Retry-After, then try again.',
  ],
  quota_exceeded: [
    429,
    'The monthly quota of the key is used up. Wait for the number of seconds in Retry-After, then try again.',
  ],
  scan_failed: [500, SCAN_CAUSES.internal[1]],
  scan_timeout: [500, SCAN_CAUSES.deadline[1]],
  internal: [500, 'An internal error occurred. Try again later.'],
  maintenance: [503, 'The service is down for maintenance. Try again later.'],
  unavailable: [503, 'The service is temporarily unavailable. Try again later.'],
} as const satisfies Record<string, readonly [number, string]>
export type ApiErrorCode = keyof typeof API_ERRORS

/**
 * Whether the same request may succeed later. Errors of the request and of its key persist until the client changes something, and
 * some failures of scans until the site does.
 */
export function isRetryable({ code, reason }: Pick<ApiError, 'code' | 'reason'>): boolean {
  return API_ERRORS[code][0] >= 429 && !(reason !== undefined && LASTING_CAUSES.has(reason))
}

const LASTING_CAUSES: ReadonlySet<string> = new Set(
  Object.entries(SCAN_CAUSES).flatMap(([cause, [, , lasts]]) => (lasts === undefined ? [] : cause)),
)

/**
 * Reasons of 5xx responses, for the log and the metrics. Clients never see them. A failed scan has a reason from
 * `SCAN_CAUSES` instead. docs/operating.md says what to do about each reason.
 */
export const SERVICE_REASONS = [
  'maintenance',
  'api_off',
  'queue_full',
  'queue_timeout',
  'store_away',
  'charge_in_doubt',
  'wrong_pepper',
  'draining',
  'no_batches',
  'unexpected',
] as const
export type FailureReason = (typeof SERVICE_REASONS)[number] | ScanCause

/** An error response of the API. `message` is for the client; `reason` and `cause` are for the log only. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly status: number
  /** Seconds for `Retry-After`; set for 429 only. */
  readonly retryAfter: number | undefined
  /** Set for every status of 500 and above, and for no other. */
  readonly reason: FailureReason | undefined

  constructor(code: ApiErrorCode, { sentence, retryAfter, reason, cause }: ApiErrorOptions = {}) {
    const [status, defaultSentence] = API_ERRORS[code]
    super(sentence ?? defaultSentence, { cause })
    this.name = 'ApiError'
    this.code = code
    this.status = status
    this.retryAfter = retryAfter
    this.reason = status < 500 ? undefined : (reason ?? 'unexpected')
  }
}

/** Builds an `invalid_request` error. */
export function buildInvalidRequest(sentence: string): ApiError {
  return new ApiError('invalid_request', { sentence })
}

interface ApiErrorOptions {
  readonly sentence?: string
  readonly retryAfter?: number
  readonly reason?: FailureReason
  readonly cause?: unknown
}
