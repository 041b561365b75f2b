import type { FastifyRequest } from 'fastify'
import type { CacheEntry, LimitQuery } from '../coordination/types.ts'
import type { RulesetInfo } from '../detector/ruleset-info.ts'
import type { ApiError, FailureReason, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { SECRET_PREFIX } from '../keys/key.ts'
import type { Key } from '../keys/types.ts'
import type { LiveExtra } from '../scan/extras.ts'
import type { RenderMode } from '../scan/render-modes.ts'

/** A revision of the API. */
export type Revision = 1 | 2

/** Limit and count of a rate-limit window: of the API key or, without a valid key, of the client's address. */
export interface RateLimitWindow {
  readonly limit: number
  readonly count: number
}

/** The validated parameters of a scan. */
export interface ScanRequest {
  readonly target: Target
  /** The ruleset that was in use when the request was read. Its result comes from this ruleset. */
  readonly rules: RulesetInfo
  readonly cacheKey: string
  readonly include: readonly LiveExtra[]
  readonly fresh: boolean
  /** How many pages of the site are read. */
  readonly pages: number
  /** Whether a browser renders the page. */
  readonly render: RenderMode
}

/** What was read of a request before it is counted: which cached result to read with the count, or why the request is invalid. */
export type ReadOutcome =
  | { readonly error: ApiError | ScanError }
  | ({ readonly error?: never } & Pick<LimitQuery, 'entry' | 'extras'>)

/** The state of one request, filled in step by step by hooks and handlers. */
export class RequestState {
  /** When the request arrived, in milliseconds since 1970. Rate limit, billing month and `Age` all use this one reading. */
  readonly now: number
  /** The client's `X-Request-Id` if it is valid, otherwise a generated id. */
  readonly requestId: string
  /** The API revision of the key; until there is one, that of the service. */
  revision: Revision
  key?: Key
  window?: RateLimitWindow
  /** The monthly quota of the key and the scans charged to it, once they have been read. */
  quota?: { readonly limit: number; readonly used: number }
  /** Set when the parameters of a scan are valid. */
  scanRequest?: ScanRequest
  /** What is wrong with the body, which is parsed before the request is counted. What reads the request returns it as its error. */
  bodyError?: ApiError
  /** The cached result, if the cache was read. */
  entry?: CacheEntry | null
  /** Whether the rest of the body was not read. The connection is then closed after the response. */
  hasUnreadBody = false
  /** The value of Content-Type, as the client sent it. */
  mediaType = ''
  /** Error code of the response, for log and metrics. */
  code?: string
  /** Reason of a 5xx response, for log and metrics. */
  reason?: FailureReason
  /** The host that the request names, if it is not served; for the log. */
  unservedHost?: string
  /** Message of a store error, for the log. */
  why?: string

  constructor(now: number, requestId: string, revision: Revision) {
    this.now = now
    this.requestId = requestId
    this.revision = revision
  }
}

const VALID_ID = /^[\w.:+/=@-]{1,128}$/

/** Returns the client's request id if it is valid and contains no API key, because the id is logged. */
export function sanitizeId(given: unknown, generated: string): string {
  return typeof given === 'string' && VALID_ID.test(given) && !given.includes(SECRET_PREFIX) ? given : generated
}

/** Returns the state of a request. A request that failed before the first hook gets a new state. */
export function getRequestState(request: FastifyRequest): RequestState {
  return (request.state ??= new RequestState(Date.now(), request.id, 2))
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState | null
  }
}
