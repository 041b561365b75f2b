import type { FastifyRequest } from 'fastify'
import type { CacheEntry } from '../coordination/types.ts'
import type { ApiError, FailureReason, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { SECRET_PREFIX } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'
import type { LiveExtra } from '../scan/scanner.ts'

/** Where a caller stands in the minute: of the key, or, without one, of the address. */
export interface Window {
  readonly limit: number
  readonly count: number
}

/** What a scan was asked for. */
export interface ScanOrder {
  readonly target: Target
  /** Under which the result is kept. */
  readonly entry: string
  readonly include: readonly LiveExtra[]
  readonly fresh: boolean
}

/** What is known of one request, step by step. */
export class Call {
  /** The clock, taken once: minute, month and deadline go by it. In milliseconds since 1970. */
  readonly now: number
  /** Of the caller if it is sane, else of ours. */
  readonly requestId: string
  key?: Key
  window?: Window
  /** The request as a body, when it was read. */
  order?: ScanOrder
  /** What is wrong with the request: told after the key and the minute. */
  fault?: ApiError | ScanError
  entry?: CacheEntry | null
  /** The body was not read to its end: the connection ends with the answer. */
  leavesBody = false
  /** Error code of the response, for log and metrics. */
  code?: string
  /** Why the response is 5xx, for log and metrics. */
  reason?: FailureReason
  /** Message of the store's error, for the log. */
  why?: string

  constructor(now: number, requestId: string) {
    this.now = now
    this.requestId = requestId
  }
}

const SANE_ID = /^[\w.:+/=@-]{1,128}$/

/** An id that a caller gives, if it is nothing but an id: it is logged, and a key must not be. */
export function sanitizeId(given: unknown, own: string): string {
  return typeof given === 'string' && SANE_ID.test(given) && !given.includes(SECRET_PREFIX) ? given : own
}

/** What was noted of a request; one that no hook has seen is made up for. */
export function callOf(request: FastifyRequest): Call {
  return (request.call ??= new Call(Date.now(), request.id))
}

declare module 'fastify' {
  interface FastifyRequest {
    call: Call | null
  }
}
