/** The ids of a `traceparent` header, as lower-case hexadecimal digits. */
export interface TraceContext {
  /** The trace that the request belongs to: 32 digits. */
  readonly traceId: string
  /** The operation of the client that sent the request: 16 digits. */
  readonly parentId: string
}

/** Length of a header of version 00, which has no other fields. */
const VERSION_00_LENGTH = 55
/** Version, trace id, parent id, flags; versions after 00 may append other fields. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.{0,256})?$/

/**
 * Parses a `traceparent` header (W3C Trace Context, section 3.2). Returns null if it is absent or invalid, or was sent more
 * than once, as the specification requires: the request then belongs to no known trace.
 */
export function parseTraceparent(header: unknown): TraceContext | null {
  const match = typeof header === 'string' ? TRACEPARENT.exec(header) : null
  if (match === null) return null
  const [{ length }, version, traceId, parentId] = match
  return version === '00' && length > VERSION_00_LENGTH ? null : { traceId, parentId }
}
