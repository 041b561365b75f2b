import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  isDue: boolean
}

/** An interim response, which clients discard (RFC 9110, section 15.2.1), used to find out whether anybody still reads. */
const PROBE = 'HTTP/1.1 100 Continue\r\n\r\n'

/** What is under way on each connection: requests that are not read, or not answered, to their end. */
export class Exchanges {
  readonly #open = new WeakMap<Socket, Exchange[]>()
  #due = 0

  /** Answers that are due, on all connections. */
  get due(): number {
    return this.#due
  }

  of(socket: Socket): readonly Exchange[] {
    return [...(this.#open.get(socket) ?? [])]
  }

  /** Whether no other request has come after this one on its connection. */
  isLast(request: IncomingMessage): boolean {
    const last = this.#open.get(request.socket)?.at(-1)
    return last === undefined || last.request === request
  }

  /**
   * Whether the client of a request has disconnected. A client that closed its connection and one that only finished
   * sending (half-close) send the same FIN; data is rejected with a reset by the first, and read by the second. So the
   * connection is probed when the FIN arrives and again here, where the reset shows. A client of HTTP/1.0 cannot be
   * probed: its FIN counts as disconnecting, since proxies that speak HTTP/1.0 do not half-close.
   */
  async hasDisconnected({ socket, httpVersion }: IncomingMessage): Promise<boolean> {
    if (socket.destroyed) return true
    if (!socket.readableEnded) return false
    if (httpVersion === '1.0') return true
    await this.#probe(socket)
    return socket.destroyed
  }

  watch(server: Server): void {
    // Node's default would end the connection of a half-closed client without its responses.
    Object.assign(server, { httpAllowHalfOpen: true })
    server.prependListener('request', (request, response) => {
      const exchange = { request, response, isDue: true }
      const all = this.#listOf(request.socket)
      all.push(exchange)
      this.#due++
      const forget = (): void => void all.splice(all.indexOf(exchange), 1)
      response.once('close', () => {
        this.#settle(exchange)
        if (request.complete) forget()
        else request.once('close', forget)
      })
    })
  }

  #settle(exchange: Exchange): void {
    if (exchange.isDue) this.#due--
    exchange.isDue = false
  }

  #listOf(socket: Socket): Exchange[] {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const made: Exchange[] = []
    this.#open.set(socket, made)
    socket.once('end', () => void this.#probe(socket))
    // Of answers that waited for the one before, Node says nothing when the connection ends.
    socket.once('close', () => {
      for (const exchange of made) this.#settle(exchange)
    })
    return made
  }

  /** Writes an interim response between two responses, never into one. Resolves when it is written, or has failed. */
  async #probe(socket: Socket): Promise<void> {
    const due = this.of(socket).filter(({ isDue }) => isDue)
    const isBetween = due.length > 0 && due.every(({ response }) => !response.headersSent)
    if (!isBetween || !socket.writable || due[0].request.httpVersion === '1.0') return
    await new Promise<void>((resolve) => {
      socket.write(PROBE, (error) => {
        if (error) socket.destroy()
        resolve()
      })
    })
  }
}
