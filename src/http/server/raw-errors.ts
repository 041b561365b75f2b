import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts'
import { normalizeClient } from '../../web/client-address.ts'
import { formatError } from '../../web/error-responses.ts'
import type { AppParts } from '../parts.ts'
import { buildRateHeaders, readAddressWindow } from '../rate-headers.ts'
import type { PendingRequests } from './pending-requests.ts'

/** Node's error code → message for the client. */
const SENTENCES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive completely in time.',
  HPE_HEADER_OVERFLOW: 'The request headers are too large.',
}

const CODE: ApiErrorCode = 'invalid_request'

type RawErrorParts = Pick<AppParts, 'shared' | 'clock' | 'log' | 'settings'>

/** Rejects input that Node's HTTP parser cannot read. Such input has no route, and no Fastify hook sees it. */
export class RawErrors {
  readonly #parts: RawErrorParts
  /** Consulted so that an error response neither interrupts another response nor follows one to the same request. */
  readonly #pending: PendingRequests
  readonly #rejected = new WeakSet<Socket>()

  constructor(parts: RawErrorParts, pending: PendingRequests) {
    this.#parts = parts
    this.#pending = pending
  }

  /** Ends a connection after its pending responses, with an error response where the client can still receive one. */
  async reject(error: Error & { code?: string }, socket: Socket): Promise<void> {
    if (this.#rejected.has(socket)) return
    this.#rejected.add(socket)
    const pending = this.#pending.listOn(socket)
    const isAnswered = pending.some(({ request, response }) => response.headersSent && !request.complete)
    // The client has disconnected, or the response to this request has already begun.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy()
      return
    }
    const unanswered = pending.filter(({ request, response }) => request.complete && !response.closed)
    await Promise.all(unanswered.map(({ response }) => once(response, 'close')))
    if (socket.writable) await this.#respond(error, socket)
  }

  async #respond(error: { readonly code?: string }, socket: Socket): Promise<void> {
    const { clock, shared, log, settings } = this.#parts
    const now = clock()
    const id = randomUUID()
    const client = normalizeClient(socket.remoteAddress ?? '')
    const window = await readAddressWindow(client, now, shared)
    const [status] = API_ERRORS[CODE]
    const why = error.code ?? 'none'
    log.info({ id, route: 'none', status, client, code: CODE, why }, 'rejected malformed HTTP request')
    const sentence = SENTENCES[why] ?? 'The request is not valid HTTP.'
    const text = formatError({ code: CODE, sentence, requestId: id, revision: settings.apiRevision })
    const headers = {
      ...buildRateHeaders(now, window),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': id,
      connection: 'close',
    }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head.join('\r\n')}\r\n\r\n${text}`)
  }
}
