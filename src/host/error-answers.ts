import type { Server, ServerResponse } from 'node:http'
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
  const { statusCode = 500 } = error as Partial<FastifyError>
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

/** Connection → answers under way on it. */
const underWay = new WeakMap<Socket, Set<ServerResponse>>()

/** Remembers answers, so that what is said to a socket does not fall between them. */
export function watchAnswers(server: Server): void {
  server.prependListener('request', ({ socket }, response) => {
    const answers = underWay.get(socket) ?? new Set()
    underWay.set(socket, answers.add(response))
    response.once('close', () => answers.delete(response))
  })
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
  const isAnswering = [...(underWay.get(socket) ?? [])].some(({ headersSent }) => headersSent)
  // A client that is gone, or that reads an answer, hears nothing.
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
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
