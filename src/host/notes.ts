import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ScanError } from '../errors.ts'
import type { Target } from '../fetch/target.ts'
import { callOf } from './call.ts'
import type { Metrics } from './metrics.ts'

/** What the limits refuse with, and which limit that is. */
const LIMITS: Readonly<Record<string, (hasKey: boolean) => string>> = {
  rate_limited: (hasKey) => (hasKey ? 'minute' : 'address'),
  quota_exceeded: () => 'quota',
}

/** Notes an answer in log and metrics: never a key, never a query, no path that a caller made up. */
export function noteAnswer(request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const { code, key, requestId } = callOf(request)
  const route = request.routeOptions.url ?? 'none'
  const labels = { route, method: request.method, status: String(reply.statusCode) }
  metrics.noteRequest(labels, reply.elapsedTime / 1000)
  const limit = LIMITS[code ?? '']?.(key !== undefined)
  if (limit !== undefined) metrics.refusals.inc({ limit })
  const level = reply.statusCode >= 500 ? 'warn' : 'info'
  request.log[level](
    {
      ...(requestId !== request.id && { requestId }),
      ...labels,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      client: request.ip,
      ...(key && { key: key.id }),
      ...(code && { code }),
    },
    'answered',
  )
}

/** Notes why a scan failed: the host alone of what was asked for, and the reason that callers are not told. */
export function noteFailure(log: FastifyBaseLogger, { host }: Target, error: unknown): void {
  const reason = error instanceof ScanError ? error.reason : (error as Error).message
  if (error instanceof ScanError && reason !== 'internal')
    log.info({ host, reason, why: error.cause instanceof Error ? error.cause.message : error.cause }, 'scan failed')
  else if (error instanceof ApiError) log.info({ host, reason: error.message }, 'scan refused')
  else log.error({ host, err: error }, 'scan failed')
}
