import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { callOf } from './call.ts'
import { addressOf } from './client-address.ts'
import type { Metrics } from './metrics.ts'

/** What the limits refuse with, and which limit that is. */
const LIMITS: Readonly<Record<string, (hasKey: boolean) => string>> = {
  rate_limited: (hasKey) => (hasKey ? 'minute' : 'address'),
  quota_exceeded: () => 'quota',
}

/** Notes an answer in log and metrics: never a key, never a query, no path that a caller made up. */
export function noteAnswer(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const { code, key, requestId } = callOf(request)
  const { id, method } = request
  const { statusCode: status, elapsedTime } = reply
  const route = request.routeOptions.url ?? 'none'
  metrics.noteRequest({ route, method, status: String(status) }, elapsedTime / 1000)
  const limit = LIMITS[code ?? '']?.(key !== undefined)
  if (limit !== undefined) metrics.refusals.inc({ limit })
  const line: Record<string, unknown> = {
    id,
    route,
    method,
    status,
    ms: Math.round(elapsedTime * 10) / 10,
    client: addressOf(request),
  }
  if (requestId !== id) line.requestId = requestId
  if (key !== undefined) line.key = key.id
  if (code !== undefined) line.code = code
  request.log[status >= 500 ? 'warn' : 'info'](line, 'answered')
}

/** Notes why a scan failed: the host alone of what was asked for, and the reason that callers are not told. */
export function noteFailure(log: FastifyBaseLogger, { host }: Target, error: unknown): void {
  const reason = error instanceof ScanError ? error.reason : (error as Error).message
  if (error instanceof ScanError && reason !== 'internal')
    log.info({ host, reason, why: error.cause instanceof Error ? error.cause.message : error.cause }, 'scan failed')
  else if (error instanceof ApiError) log.info({ host, reason: error.message }, 'scan refused')
  else log.error({ host, err: error }, 'scan failed')
}
