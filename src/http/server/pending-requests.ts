import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  isDue: boolean
  /** Called once if the connection ends before the response is written. */
  onAbandoned?: () => void
}

/** An interim response, which clients discard (RFC 9110, section 15.2.1), used to find out whether anybody still reads. */
const PROBE = 'HTTP/1.1 100 Continue\r\n\r\n'
/** Time for the reset that a closed connection sends in return. */
const RESET_MS = 100

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
   * sending (half-close) send the same FIN, but only the first rejects data, with a reset that makes the next write fail.
   * So after a FIN the connection is probed twice. HTTP/1.0 has no interim responses: there a FIN counts as disconnecting,
   * since proxies that speak it do not half-close.
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

  /** Has a function called if the connection ends before the response to this request is written. */
  onAbandoned(request: IncomingMessage, call: () => void): void {
    const exchange = this.#open.get(request.socket)?.findLast((one) => one.request === request)
    if (exchange !== undefined) exchange.onAbandoned = call
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
    if (!exchange.isDue) return
    exchange.isDue = false
    this.#due--
    if (!exchange.response.writableFinished) exchange.onAbandoned?.()
  }

  #listOf(socket: Socket): Exchange[] {
    const known = this.#open.get(socket)
    if (known !== undefined) return known
    const made: Exchange[] = []
    this.#open.set(socket, made)
    // Of answers that waited for the one before, Node says nothing when the connection ends.
    socket.once('close', () => {
      for (const exchange of made) this.#settle(exchange)
    })
    return made
  }

  /** Writes an interim response between two responses, never into one. Resolves when it is written, or has failed. */
  async #probe(socket: Socket): Promise<void> {
    const isWriting = this.of(socket).some(({ response }) => response.headersSent && !response.writableFinished)
    if (isWriting || !socket.writable) return
    await new Promise<void>((resolve) => {
      socket.write(PROBE, (error) => {
        if (error) socket.destroy()
        resolve()
      })
    })
  }
}
