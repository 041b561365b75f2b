/** What an operator or author set wrong; `message` says what to do. Nothing of it is secret. */
export class SetupError extends Error {}

/** What a caller can tell failures apart by. */
export type ScanErrorCode = 'invalid_url' | 'blocked_target' | 'scan_failed' | 'scan_timeout'

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
  denied: ['blocked_target', 'This host is not scanned, at the wish of its owner.'],
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
  internal: ['scan_failed', 'The scan failed. Try again later.'],
  deadline: ['scan_timeout', 'The site did not answer in time. Try again later.'],
  busy: ['scan_timeout', 'Too many scans are running. Try again in a moment.'],
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
