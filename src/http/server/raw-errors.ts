import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts'
import { clientOf } from '../client-address.ts'
import type { HostParts } from '../parts.ts'
import { rateHeaders, windowOf } from '../rate-limit.ts'
import type { Exchanges } from './pending-requests.ts'

/** What the socket says that no request came of. */
const SENTENCES: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the request are too long.',
}

const CODE: ApiErrorCode = 'invalid_request'

/** Answers what comes over a connection and is no request: it never has a route, and no hook sees it. */
export class RawErrors {
  readonly #parts: Pick<HostParts, 'shared' | 'clock' | 'log'>
  /** So that nothing is said in between, or twice. */
  readonly #exchanges: Exchanges
  readonly #refused = new WeakSet<Socket>()

  constructor(parts: Pick<HostParts, 'shared' | 'clock' | 'log'>, exchanges: Exchanges) {
    this.#parts = parts
    this.#exchanges = exchanges
  }

  /** Ends the connection: after the answers that are due, with one of its own where one is due. */
  async refuse(error: Error & { code?: string }, socket: Socket): Promise<void> {
    if (this.#refused.has(socket)) return
    this.#refused.add(socket)
    const exchanges = this.#exchanges.of(socket)
    const isAnswered = exchanges.some(({ request, response }) => response.headersSent && !request.complete)
    // A client that is gone hears nothing; one whose answer is on its way gets no second one for the rest of its request.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy()
      return
    }
    const due = exchanges.filter(({ request, response }) => request.complete && !response.closed)
    await Promise.all(due.map(({ response }) => once(response, 'close')))
    if (socket.writable) await this.#answer(error, socket)
  }

  async #answer(error: { readonly code?: string }, socket: Socket): Promise<void> {
    const { clock, shared, log } = this.#parts
    const now = clock()
    const id = randomUUID()
    const client = clientOf(socket.remoteAddress ?? '')
    const window = await windowOf(client, now, shared)
    const [status] = API_ERRORS[CODE]
    const why = error.code ?? 'none'
    log.info({ id, route: 'none', status, client, code: CODE, why }, 'answered what was no request')
    const body = JSON.stringify({
      error: SENTENCES[why] ?? 'The request is not valid HTTP.',
      code: CODE,
      requestId: id,
    })
    const headers = {
      ...rateHeaders(now, window),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': id,
      connection: 'close',
    }
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${status} Bad Request\r\n${head.join('\r\n')}\r\n\r\n${body}`)
  }
}
