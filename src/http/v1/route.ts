import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LimitQuery } from '../../coordination/types.ts'
import { ApiError } from '../../errors.ts'
import type { Call } from '../request-state.ts'
import { requestFault } from './request-error.ts'

/** Reads a request before its minute is counted: what is wrong with it waits in the call. Tells what to look up meanwhile. */
export type ReadRequest = (request: FastifyRequest, call: Call) => Pick<LimitQuery, 'entry' | 'extras'>

/** Holds what the schema found wrong. */
export const holdFault: ReadRequest = (request, call) => {
  if (call.fault === undefined && request.validationError) call.fault = requestFault(request.validationError)
  return {}
}

/** Any other method is 405 and says which ones are allowed; OPTIONS says it too, with 204. */
export function allowOnly(v1: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  const schema = { hide: true }
  v1.options(url, { schema }, (_, reply) => reply.code(204).header('allow', allow).send())
  // CONNECT never comes as a request.
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
 * Watches which routes are registered from now on.
 * @returns what makes all other methods of their paths 405, once they are all there
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

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly querystring?: object
  readonly body?: object
  /** The schema of the answer, by its name. */
  readonly ok: 'ScanResult' | 'KeyInfo'
}

const RATE_HEADERS = {
  'X-RateLimit-Limit': { type: 'integer', description: 'Requests a minute.' },
  'X-RateLimit-Remaining': { type: 'integer', description: 'Requests left in this minute.' },
  'X-RateLimit-Reset': { type: 'integer', description: 'When the next minute begins, in Unix seconds.' },
  'X-Request-Id': { type: 'string', description: 'The id that was sent, or one of ours.' },
} as const
const AGE = { Age: { type: 'integer', description: 'Of a cached result: the seconds since its scan.' } } as const
const RETRY_AFTER = { 'Retry-After': { type: 'integer', description: 'Seconds until a new try makes sense.' } } as const

/** Headers of one status alone. */
const MORE_HEADERS: Readonly<Record<string, object>> = {
  405: { Allow: { type: 'string', description: 'The methods that are allowed here.' } },
  429: RETRY_AFTER,
}

const FAILURES = {
  400: 'invalid_request, invalid_url or blocked_target: the request is not valid',
  401: 'unauthorized: the key is missing, invalid or revoked',
  405: 'method_not_allowed: Allow names the methods that are',
  429: 'rate_limited or quota_exceeded',
  500: 'scan_failed, scan_timeout or internal: a new try is appropriate',
  503: 'maintenance or unavailable',
} as const

/** What the OpenAPI document says of an operation, and what Fastify validates of it. */
export function operation({ ok, ...parts }: Operation): Record<string, unknown> {
  const failures = Object.entries(FAILURES).map(([status, description]) => [
    status,
    {
      description,
      headers: { ...RATE_HEADERS, ...MORE_HEADERS[status] },
      content: { 'application/json': { schema: { $ref: 'Error#' } } },
    },
  ])
  const success = {
    description: 'OK',
    headers: { ...RATE_HEADERS, ...(ok === 'ScanResult' && AGE) },
    content: { 'application/json': { schema: { $ref: `${ok}#` } } },
  }
  return { tags: ['v1'], ...parts, response: { 200: success, ...Object.fromEntries(failures) } }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    read?: ReadRequest
  }
}
