import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface PendingRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  isAnswered: boolean
  /** Called once if the connection ends before the response is written. */
  onAbandoned?: () => void
}

/** An interim response, which clients discard (RFC 9110, section 15.2.1). It shows whether the client still reads. */
const PROBE = 'HTTP/1.1 100 Continue\r\n\r\n'
/** Time for the reset that a closed connection sends in return. */
const RESET_MS = 100

/** The requests on each connection that are not yet completely read or not yet completely answered. */
export class PendingRequests {
  readonly #bySocket = new WeakMap<Socket, PendingRequest[]>()
  #unanswered = 0

  /** Number of unanswered requests on all connections. */
  get count(): number {
    return this.#unanswered
  }

  /** The pending requests of one connection, in the order of their arrival. */
  listOn(socket: Socket): readonly PendingRequest[] {
    return [...(this.#bySocket.get(socket) ?? [])]
  }

  /** Whether no other request has arrived after this one on its connection. */
  isLast(request: IncomingMessage): boolean {
    const last = this.#bySocket.get(request.socket)?.at(-1)
    return last === undefined || last.request === request
  }

  /** Whether the connection of a request has failed, or its client has closed it or finished sending. */
  hasReceivedEnd({ socket }: IncomingMessage): boolean {
    return socket.destroyed || socket.readableEnded
  }

  /**
   * Whether the client of a request has disconnected. A client that closed its connection and one that only finished
   * sending (half-close) send the same FIN, but only the first rejects data, with a reset that makes the next write fail.
   * So after a FIN the connection is probed twice. HTTP/1.0 has no interim responses: there a FIN counts as disconnecting,
   * since proxies that use HTTP/1.0 do not half-close.
   */
  async hasDisconnected({ socket, httpVersion }: IncomingMessage): Promise<boolean> {
    if (socket.destroyed) return true
    if (!socket.readableEnded) return false
    if (httpVersion === '1.0') return true
    await this.#probe(socket)
    if (!socket.destroyed) await sleep(RESET_MS)
    await this.#probe(socket)
    return socket.destroyed
  }

  /** Sets the function that is called if the connection ends before the response to this request is written. */
  onAbandoned(request: IncomingMessage, callback: () => void): void {
    const pending = this.#bySocket.get(request.socket)?.findLast((one) => one.request === request)
    if (pending !== undefined) pending.onAbandoned = callback
  }

  watch(server: Server): void {
    // Node's default would end the connection of a half-closed client without its responses.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.prependListener('request', (request, response) => {
      const pending = { request, response, isAnswered: false }
      const all = this.#findOrAdd(request.socket)
      all.push(pending)
      this.#unanswered++
      const remove = (): void => void all.splice(all.indexOf(pending), 1)
      response.once('close', () => {
        this.#settle(pending)
        if (request.complete) remove()
        else request.once('close', remove)
      })
    })
  }

  #settle(pending: PendingRequest): void {
    if (pending.isAnswered) return
    pending.isAnswered = true
    this.#unanswered--
    if (!pending.response.writableFinished) pending.onAbandoned?.()
  }

  #findOrAdd(socket: Socket): PendingRequest[] {
    const known = this.#bySocket.get(socket)
    if (known !== undefined) return known
    const added: PendingRequest[] = []
    this.#bySocket.set(socket, added)
    // When the connection ends, Node emits no event for responses that are queued behind an earlier one.
    socket.once('close', () => {
      for (const pending of added) this.#settle(pending)
    })
    return added
  }

  /** Writes an interim response between two responses, never inside one. Resolves when it is written or has failed. */
  async #probe(socket: Socket): Promise<void> {
    const isWriting = this.listOn(socket).some(({ response }) => response.headersSent && !response.writableFinished)
    if (isWriting || !socket.writable) return
    await new Promise<void>((resolve) => {
      socket.write(PROBE, (error) => {
        if (error) socket.destroy()
        resolve()
      })
    })
  }
}
