import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LimitQuery } from '../../coordination/types.ts'
import { ApiError } from '../../errors.ts'
import type { RequestState } from '../request-state.ts'
import { toRequestError } from './request-error.ts'

/**
 * Reads the parameters of a request before the request is counted. Errors are kept in the request state and thrown after
 * rate limiting. Returns which cached result to read while the request is counted.
 */
export type ReadRequest = (request: FastifyRequest, state: RequestState) => Pick<LimitQuery, 'entry' | 'extras'>

/** Keeps the error of schema validation, if there is one. */
export const keepValidationError: ReadRequest = (request, state) => {
  if (state.error === undefined && request.validationError) state.error = toRequestError(request.validationError)
  return {}
}

/** Makes OPTIONS respond with 204 and `Allow`, and every other method that is not allowed with 405 and `Allow`. */
export function allowOnly(v1: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  const schema = { hide: true }
  v1.options(url, { schema }, (_, reply) => reply.code(204).header('allow', allow).send())
  // Node emits CONNECT as its own event, never as a request.
  const others = METHODS.filter((method) => ![...methods, 'OPTIONS', 'CONNECT'].includes(method))
  v1.route({
    method: others,
    url,
    schema,
    handler: (_, reply) => {
      reply.header('allow', allow)
      throw new ApiError('method_not_allowed')
    },
  })
}

/**
 * Records every route registered from now on.
 * @returns a function that makes all other methods of these routes 405; call it when all of them are registered
 */
export function watchRoutes(app: FastifyInstance): () => void {
  const routes = new Map<string, Set<string>>()
  let isWatching = true
  app.addHook('onRoute', ({ url, method }) => {
    if (isWatching) routes.set(url, new Set([...(routes.get(url) ?? []), ...[method].flat()]))
  })
  return () => {
    isWatching = false
    for (const [url, methods] of routes) allowOnly(app, url, [...methods])
  }
}

/** What differs between operations in the OpenAPI document. */
export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly querystring?: object
  readonly body?: object
  /** Request headers that the operation reads. */
  readonly headers?: object
  /** Name of the response schema. */
  readonly ok: 'ScanResult' | 'KeyInfo' | 'KeyUsage' | 'Catalogue'
  /** Failures of this operation only: status → description. */
  readonly failures?: Readonly<Record<number, string>>
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': { type: 'integer', description: 'Requests per minute.' },
  'X-RateLimit-Remaining': { type: 'integer', description: 'Requests left in this minute.' },
  'X-RateLimit-Reset': { type: 'integer', description: 'Start of the next minute, in Unix seconds.' },
  'X-Request-Id': { type: 'string', description: 'The id sent by the client, or a generated one.' },
} as const
const AGE = { Age: { type: 'integer', description: 'For a cached result: seconds since its scan.' } } as const
const VALIDATORS = {
  ETag: { type: 'string', description: 'Changes whenever the response does.' },
  'Cache-Control': { type: 'string', description: 'private, no-cache: store the response, and ask before each use.' },
} as const
const RETRY_AFTER = { 'Retry-After': { type: 'integer', description: 'Seconds to wait before the next try.' } } as const

/** Headers that only one status has. */
const STATUS_HEADERS: Readonly<Record<string, object>> = {
  405: { Allow: { type: 'string', description: 'The allowed methods.' } },
  429: RETRY_AFTER,
}

const FAILURES = {
  400: 'invalid_request, invalid_url or blocked_target: the request is not valid',
  401: 'unauthorized: the key is missing, invalid or revoked',
  405: 'method_not_allowed: the header Allow lists the allowed methods',
  429: 'rate_limited or quota_exceeded',
  500: 'scan_failed, scan_timeout or internal: a later try may succeed',
  503: 'maintenance or unavailable',
} as const

/** Builds the schema of an operation, used for the OpenAPI document and for validation by Fastify. */
export function buildOperation({ ok, failures: own = {}, ...parts }: Operation): Record<string, unknown> {
  const failures = Object.entries({ ...FAILURES, ...own }).map(([status, description]) => [
    status,
    {
      description,
      headers: { ...RATE_HEADERS, ...STATUS_HEADERS[status] },
      content: { 'application/json': { schema: { $ref: 'Error#' } } },
    },
  ])
  const isCacheable = ok === 'Catalogue'
  const success = {
    description: 'OK',
    headers: { ...RATE_HEADERS, ...(ok === 'ScanResult' && AGE), ...(isCacheable && VALIDATORS) },
    content: { 'application/json': { schema: { $ref: `${ok}#` } } },
  }
  const unchanged = { description: 'Not modified', headers: { ...RATE_HEADERS, ...VALIDATORS } }
  const responses = { 200: success, ...(isCacheable && { 304: unchanged }), ...Object.fromEntries(failures) }
  return { tags: ['v1'], ...parts, response: responses }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    read?: ReadRequest
  }
}
