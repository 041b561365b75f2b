import { type ScanCause, ScanError } from '../errors.ts'

// Error code of Node, undici or OpenSSL → cause. The codes of undici are listed in its documentation under "Errors".
const REASONS: readonly (readonly [RegExp, ScanCause])[] = [
  [/^(?:ENOTFOUND|ENODATA|EAI_)/, 'name_not_found'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/^(?:UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ETIMEDOUT)$/, 'deadline'],
  [/^(?:UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'header_overflow'],
  [/^(?:HPE_|UND_ERR_RES_CONTENT_LENGTH_MISMATCH$)/, 'protocol_error'],
  [/^(?:EPROTO|ERR_SSL_)/, 'protocol_error'],
  [/^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CRL_|HOSTNAME_MISMATCH|INVALID_PURPOSE)/, 'tls_invalid'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM|EINVAL)$/, 'unreachable'],
]

// undici reports an unsolicited response with status 100 or 101 with the code of a lost connection.
const UNSOLICITED = /^bad (?:response|upgrade|connect)/

/** Converts the error of a connection or request. The original error becomes the cause, for the log. */
export function toScanError(error: unknown): ScanError {
  if (error instanceof ScanError) return error
  const inner = error instanceof Error && error.cause instanceof ScanError ? error.cause : null
  if (inner !== null) return inner
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string }
  if (UNSOLICITED.test(message)) return new ScanError('protocol_error', { cause: error })
  const known = REASONS.find(([pattern]) => pattern.test(code))?.[1]
  if (known !== undefined) return new ScanError(known, { cause: error })
  const isProtocolError = /^Response does not match|invalid|unexpected|parse/i.test(message)
  return new ScanError(isProtocolError ? 'protocol_error' : 'internal', { cause: error })
}
