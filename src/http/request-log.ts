import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ScanError } from '../errors.ts'
import type { ScanRequest } from '../scan/single-flight.ts'
import { addressOf } from './client-address.ts'
import type { Metrics } from './metrics.ts'
import { callOf } from './request-state.ts'

/** What the limits refuse with, and which limit that is. */
const LIMITS: Readonly<Record<string, (hasKey: boolean) => string>> = {
  rate_limited: (hasKey) => (hasKey ? 'minute' : 'address'),
  quota_exceeded: () => 'quota',
}

/** Logs and counts a response: never a key, a query, or a path that a client made up. */
export function noteAnswer(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const { code, key, reason } = callOf(request)
  const { method } = request
  const { statusCode: status, elapsedTime } = reply
  const route = routeOf(request)
  metrics.noteRequest({ route, method, status: String(status), ...(reason && { reason }) }, elapsedTime / 1000)
  const limit = LIMITS[code ?? '']?.(key !== undefined)
  if (limit !== undefined) metrics.refusals.inc({ limit })
  // Load balancers and container runtimes ask several times a second.
  const level = status >= 500 ? 'warn' : HEALTH.test(route) && status < 400 ? 'debug' : 'info'
  request.log[level](lineOf(request, reply, status), 'answered')
}

/** Logs and counts a request whose client disconnected before its response. */
export function noteDisconnect(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  metrics.abandoned.inc({ route: routeOf(request) })
  request.log.info(lineOf(request, reply), 'the client disconnected before the response')
}

const HEALTH = /^\/health\//

function routeOf({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'none'
}

function lineOf(request: FastifyRequest, { elapsedTime }: FastifyReply, status?: number): Record<string, unknown> {
  const { code, key, reason, requestId, why } = callOf(request)
  const { id, method } = request
  const line: Record<string, unknown> = { id, route: routeOf(request), method }
  if (status !== undefined) line.status = status
  line.ms = Math.round(elapsedTime * 10) / 10
  line.client = addressOf(request)
  if (requestId !== id) line.requestId = requestId
  if (key !== undefined) line.key = key.id
  if (code !== undefined) line.code = code
  if (reason !== undefined) line.reason = reason
  if (why !== undefined) line.why = why
  return line
}

/** Logs why a scan failed: the id of the request that started it, the host alone of its URL, and details clients do not see. */
export function noteFailure(log: FastifyBaseLogger, { id, target: { host } }: ScanRequest, error: unknown): void {
  if (error instanceof ApiError) log.info({ id, host, reason: error.reason }, 'scan rejected')
  else if (error instanceof ScanError && error.reason !== 'internal') {
    const why = error.cause instanceof Error ? error.cause.message : error.cause
    log.info({ id, host, reason: error.reason, why }, 'scan failed')
  } else log.error({ id, host, reason: 'internal', err: error }, 'scan failed')
}
