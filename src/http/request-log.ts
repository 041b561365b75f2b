import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ScanError } from '../errors.ts'
import type { Metrics } from '../service/metrics.ts'
import { getRequestState } from '../service/request-state.ts'
import type { FailedFlight } from '../service/single-flight.ts'
import { findClientAddress } from '../web/client-address.ts'
import { HEALTH_ROUTE } from './health.ts'
import { parseTraceparent } from './trace-context.ts'

/** Error code of a 429 response → the limit that was exceeded, for the metric. */
const LIMITS: Readonly<Record<string, (hasKey: boolean) => string>> = {
  rate_limited: (hasKey) => (hasKey ? 'minute' : 'address'),
  quota_exceeded: () => 'quota',
}

/** Logs and counts a response. The line never contains a key, a query or a path chosen by the client. */
export function logResponse(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const { code, key, reason } = getRequestState(request)
  const { method } = request
  const { statusCode: status, elapsedTime } = reply
  const route = findRoute(request)
  metrics.recordResponse({ route, method, status: String(status), ...(reason && { reason }) }, elapsedTime / 1000)
  const limit = LIMITS[code ?? '']?.(key !== undefined)
  if (limit !== undefined) metrics.refusals.inc({ limit })
  // Load balancers and container runtimes request the health checks several times a second.
  const level = status >= 500 ? 'warn' : HEALTH_ROUTE.test(route) && status < 400 ? 'debug' : 'info'
  request.log[level](buildLine(request, reply, status), 'request completed')
}

/** Logs and counts a request whose client disconnected before its response. */
export function logDisconnect(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  metrics.abandoned.inc({ route: findRoute(request) })
  request.log.info(buildLine(request, reply), 'client disconnected before the response')
}

function findRoute({ routeOptions }: FastifyRequest): string {
  return routeOptions.url ?? 'none'
}

function buildLine(request: FastifyRequest, { elapsedTime }: FastifyReply, status?: number): Record<string, unknown> {
  const { code, key, reason, requestId, unservedHost, why } = getRequestState(request)
  const { id, method, headers } = request
  const line: Record<string, unknown> = { id, route: findRoute(request), method }
  if (status !== undefined) line.status = status
  line.ms = Math.round(elapsedTime * 10) / 10
  line.client = findClientAddress(request)
  if (requestId !== id) line.requestId = requestId
  Object.assign(line, parseTraceparent(headers.traceparent))
  if (key !== undefined) line.key = key.id
  if (code !== undefined) line.code = code
  if (unservedHost !== undefined) line.host = unservedHost
  if (reason !== undefined) line.reason = reason
  if (why !== undefined) line.why = why
  return line
}

/**
 * Logs why a scan failed: the id of the request that started it, the host of its URL (no path, no query), and the details
 * that clients do not see.
 */
export function logScanFailure(log: FastifyBaseLogger, { id, target: { host } }: FailedFlight, error: unknown): void {
  if (error instanceof ApiError) log.info({ id, host, reason: error.reason }, 'scan rejected')
  else if (error instanceof ScanError && error.reason !== 'internal') {
    const why = error.cause instanceof Error ? error.cause.message : error.cause
    log.info({ id, host, reason: error.reason, why }, 'scan failed')
  } else log.error({ id, host, reason: 'internal', err: error }, 'scan failed')
}
