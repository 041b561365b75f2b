import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { API_ERRORS, ApiError, type ApiErrorCode, ScanError } from '../errors.ts'
import { StoreError } from '../store/types.ts'
import { invalid } from './body.ts'
import { callOf } from './call.ts'
import { rateHeaders, UNCOUNTED } from './limit.ts'

/** Every error as one of the table. What is not foreseen is `internal`: nothing of it reaches the caller. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ScanError) return new ApiError(error.code, { sentence: error.message, cause: error })
  if (error instanceof StoreError) return new ApiError('unavailable', { cause: error })
  const { statusCode = 500, code } = error as Partial<FastifyError>
  if (code === 'FST_ERR_BAD_URL') return invalid('The path of the request is not valid.')
  if (statusCode >= 400 && statusCode < 500) return invalid('The request could not be read.')
  return new ApiError('internal', { cause: error })
}

/** Sends an error: status, body, `Retry-After` on 429 alone. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = toApiError(error)
  const call = callOf(request)
  call.code = told.code
  if (told.code === 'internal') request.log.error({ err: error, requestId: request.id }, 'not foreseen')
  if (told.retryAfter !== undefined) reply.header('retry-after', String(told.retryAfter))
  return reply
    .code(told.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: told.message, code: told.code, requestId: call.requestId }))
}

/** What the socket says that no request came of. */
const SENTENCES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the request are too long.',
}

/** Answers a request that Node could not read; it never had a route. */
export function answerRawError(
  error: Error & { code?: string },
  socket: Socket,
  { now, id }: { now: number; id: string },
): void {
  // A client that is gone, or that was answered already, hears nothing.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy()
    return
  }
  const code: ApiErrorCode = 'invalid_request'
  const sentence = SENTENCES[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const body = JSON.stringify({ error: sentence, code, requestId: id })
  const headers = {
    ...rateHeaders(now, UNCOUNTED),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-request-id': id,
    connection: 'close',
  }
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${API_ERRORS[code][0]} Bad Request\r\n${head.join('\r\n')}\r\n\r\n${body}`)
}
