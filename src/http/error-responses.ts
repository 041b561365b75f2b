import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ScanError } from '../errors.ts'
import { StoreError } from '../store/types.ts'
import { invalid } from './body.ts'
import { callOf } from './request-state.ts'

/** Maps every error to one of the table. An unexpected one becomes `internal`: the client sees nothing of it. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ScanError)
    return new ApiError(error.code, { sentence: error.message, reason: error.reason, cause: error })
  if (error instanceof StoreError) return new ApiError('unavailable', { reason: 'store_away', cause: error })
  const { statusCode = 500 } = error as Partial<FastifyError>
  if (statusCode >= 400 && statusCode < 500) return invalid('The request could not be read.')
  return new ApiError('internal', { reason: 'unexpected', cause: error })
}

/** Sends an error: status, body, `Retry-After` on 429 alone. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = toApiError(error)
  const call = callOf(request)
  call.code = told.code
  call.reason = told.reason
  if (told.cause instanceof StoreError) call.why = told.cause.message
  if (told.code === 'internal') request.log.error({ id: request.id, err: error }, 'unexpected error')
  if (told.retryAfter !== undefined) reply.header('retry-after', String(told.retryAfter))
  return reply
    .code(told.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: told.message, code: told.code, requestId: call.requestId }))
}
