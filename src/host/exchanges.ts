import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  isDue: boolean
}

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

  watch(server: Server): void {
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
    // Of answers that waited for the one before, Node says nothing when the connection ends.
    socket.once('close', () => {
      for (const exchange of made) this.#settle(exchange)
    })
    return made
  }
}
