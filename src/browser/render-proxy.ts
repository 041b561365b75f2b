import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { CheckedConnector, type Dial } from '../fetch/connector.ts'
import type { Policy } from '../fetch/policy.ts'
import type { Resolver } from '../fetch/resolver.ts'
import { checkTarget, parseUrl } from '../fetch/target.ts'
import type { PageNetwork } from './render-types.ts'

interface RenderProxyOptions {
  readonly policy: Policy
  readonly resolver: Resolver
  readonly dial: Dial
  /** Bytes in both directions after which the proxy closes all connections. */
  readonly maxBytes: number
  readonly signal: AbortSignal
}

/** Headers that concern one connection (RFC 9110, section 7.6.1), and the credentials of a proxy. */
const HOP_HEADERS = new Set(
  'connection keep-alive proxy-connection proxy-authorization proxy-authenticate te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/**
 * The only way of one page to the network: a forward proxy on the loopback address, with the address policy of scans. It checks each
 * destination like the URL of a scan, resolves its name once, and connects to a checked address. A tunnel carries TLS and WebSockets
 * unread. What is refused gets no response, so that nothing of the proxy looks like a response of a site.
 */
export class RenderProxy implements PageNetwork {
  readonly warnings: readonly string[] = []
  readonly #options: RenderProxyOptions
  readonly #connector: CheckedConnector
  readonly #server: Server
  readonly #clients = new Set<Duplex>()
  #bytes = 0
  #isStopped = false
  #refused = 0

  private constructor(options: RenderProxyOptions) {
    this.#options = options
    this.#connector = new CheckedConnector({
      ...options,
      acceptsInvalidCertificate: () => false,
      onPeer: () => {},
    })
    this.#server = createServer({ maxHeaderSize: 4 * options.policy.maxHeaderBytes })
    this.#server.on('connection', (socket) => this.#track(socket))
    this.#server.on('request', (incoming, response) => void this.#forward(incoming, response))
    this.#server.on('connect', (incoming, socket, head) => void this.#tunnel(incoming, socket, head))
    this.#server.on('clientError', (_, socket) => socket.destroy())
    options.signal.addEventListener('abort', () => this.stop(), { once: true })
  }

  /** Opens a proxy on a port that the system chooses. */
  static async open(options: RenderProxyOptions): Promise<RenderProxy> {
    const proxy = new RenderProxy(options)
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject)
      proxy.#server.listen(0, '127.0.0.1', resolve)
    })
    return proxy
  }

  /** The URL of the proxy, for the browser. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Requests and tunnels to destinations that the policy refuses. */
  get refused(): number {
    return this.#refused
  }

  /** Whether the page has used up its bytes. */
  get isExhausted(): boolean {
    return this.#bytes > this.#options.maxBytes
  }

  /** Closes all connections and accepts no other request. */
  stop(): void {
    this.#isStopped = true
    this.#connector.close()
    for (const client of this.#clients) client.destroy()
  }

  async close(): Promise<void> {
    this.stop()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** Forwards a request in plain text, whose target is an absolute URL. */
  async #forward(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {})
    incoming.on('error', () => {})
    try {
      const target = checkTarget(parseUrl(incoming.url ?? ''), this.#options.policy)
      if (target.url.protocol !== 'http:') throw new Error('only http is forwarded')
      const socket = await this.#connect(target.host, target.port)
      this.#count(socket)
      const outgoing = request({
        createConnection: () => socket,
        method: incoming.method,
        path: target.url.pathname + target.url.search,
        headers: [...listHeaders(incoming.rawHeaders), 'host', target.url.host, 'connection', 'close'],
        setHost: false,
        maxHeaderSize: this.#options.policy.maxHeaderBytes,
      })
      outgoing.on('error', () => response.destroy())
      outgoing.on('upgrade', (_, upgraded) => upgraded.destroy())
      outgoing.on('response', (answer) => sendResponse(answer, response))
      response.on('close', () => outgoing.destroy())
      incoming.pipe(outgoing)
    } catch {
      this.#refuse(incoming.socket)
    }
  }

  async #tunnel(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => {})
    try {
      const { host, port } = checkTarget(parseUrl(`http://${incoming.url}/`), this.#options.policy)
      const socket = await this.#connect(host, port)
      this.#count(socket)
      socket.on('close', () => client.destroy())
      client.on('close', () => socket.destroy())
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) socket.write(head)
      client.pipe(socket)
      socket.pipe(client)
    } catch {
      this.#refuse(client)
    }
  }

  /** Connects to a checked address of a host, without TLS: the browser verifies certificates. */
  #connect(host: string, port: number): Promise<Socket> {
    if (this.#isStopped) return Promise.reject(new Error('the page has ended'))
    return new Promise((resolve, reject) => {
      this.#connector.connect({ hostname: host, protocol: 'http:', port: String(port) }, (error, socket) => {
        if (socket === null) reject(error)
        else resolve(socket as Socket)
      })
    })
  }

  #refuse(client: Duplex): void {
    this.#refused++
    client.destroy()
  }

  #count(socket: Socket): void {
    let sent = 0
    socket.on('data', (chunk: Uint8Array) => {
      const { bytesWritten } = socket
      this.#bytes += chunk.length + bytesWritten - sent
      sent = bytesWritten
      if (this.isExhausted) this.stop()
    })
  }

  #track(client: Duplex): void {
    this.#clients.add(client)
    client.once('close', () => this.#clients.delete(client))
    client.on('error', () => {})
    if (this.#isStopped) client.destroy()
  }
}

/** Sends a response of a site to the browser. One connection carries one request, so that a broken response ends it. */
function sendResponse(answer: IncomingMessage, response: ServerResponse): void {
  try {
    const headers = [...listHeaders(answer.rawHeaders), 'connection', 'close']
    response.writeHead(answer.statusCode ?? 502, headers)
  } catch {
    answer.destroy()
    response.destroy()
    return
  }
  answer.on('error', () => response.destroy())
  answer.pipe(response)
}

/** Lists the names and values of a message in order, without those that concern its connection or its host. */
function listHeaders(raw: readonly string[]): string[] {
  const headers: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i].toLowerCase()
    if (!HOP_HEADERS.has(name) && name !== 'host') headers.push(raw[i], raw[i + 1])
  }
  return headers
}
