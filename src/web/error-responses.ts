import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  ApiError,
  type ApiErrorCode,
  buildInvalidRequest,
  type FailureReason,
  isRetryable,
  ScanError,
} from '../errors.ts'
import type { Revision } from '../service/request-state.ts'
import { getRequestState } from '../service/request-state.ts'
import type { ErrorBody } from '../service/response-schemas.ts'
import { StoreError } from '../store/types.ts'

/**
 * Maps any error to an entry of the error table. An unexpected error becomes `internal`, and the client sees no details
 * of it.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ScanError)
    return new ApiError(error.code, { sentence: error.message, reason: error.reason, cause: error })
  if (error instanceof StoreError) return new ApiError('unavailable', { reason: 'store_away', cause: error })
  const { statusCode = 500 } = error as Partial<FastifyError>
  if (statusCode >= 400 && statusCode < 500) return buildInvalidRequest('The request could not be read.')
  return new ApiError('internal', { reason: 'unexpected', cause: error })
}

/** Maps an error, records it for log and metrics, and sets the status of the response, and `Retry-After` for 429 only. */
export function setError(error: unknown, request: FastifyRequest, reply: FastifyReply): ApiError {
  const apiError = toApiError(error)
  const { code, status, reason, retryAfter, cause } = apiError
  const state = getRequestState(request)
  state.code = code
  state.reason = reason
  if (cause instanceof StoreError) state.why = cause.message
  if (code === 'internal') request.log.error({ id: request.id, err: error }, 'unexpected error')
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  reply.code(status)
  return apiError
}

/** Sends an error response. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, reason } = setError(error, request, reply)
  const { requestId, revision } = getRequestState(request)
  return reply
    .type('application/json; charset=utf-8')
    .send(formatError({ code, reason, sentence: message, requestId, revision }))
}

interface ErrorParts {
  readonly code: ApiErrorCode
  /** Why the request failed: decides whether it may be repeated, and is not shown. */
  readonly reason?: FailureReason | undefined
  /** The message for people. */
  readonly sentence: string
  readonly requestId: string
  readonly revision: Revision
}

/** Formats the JSON of an error response. */
export function formatError({ code, reason, sentence, requestId, revision }: ErrorParts): string {
  const retryable = revision === 2 && { retryable: isRetryable({ code, reason }) }
  return JSON.stringify({ error: sentence, code, ...retryable, requestId } satisfies ErrorBody)
}
