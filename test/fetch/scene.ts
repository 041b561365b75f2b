import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import type { Dial } from '../../src/fetch/connector.ts'
import type { Resolver } from '../../src/fetch/resolver.ts'
import { isInside } from '../support/network-namespace.ts'

/** The public address of all names in a scene, unless the test defines another. */
export const PUBLIC = '93.184.216.34'
export const certificateFile = new URL('test-certificate.pem', import.meta.url)
const pem = readFileSync(certificateFile, 'utf8')

/** Responds to a request. `url` is the full requested URL. */
export type Answering = (url: string, response: http.ServerResponse, request: http.IncomingMessage) => void

export interface Scene {
  /** Requested URLs, in order. */
  readonly requests: readonly string[]
  /** `address:port` of each attempted connection, in order. */
  readonly contacts: readonly string[]
  readonly dial: Dial | undefined
  /** Waits until the client has closed its connections, then closes the servers. */
  close(): Promise<void>
}

/**
 * Simulates the internet with an http and an https server that respond alike. With `isTlsSilent`, the https server accepts
 * connections but sends nothing.
 */
export async function openScene(answer: Answering, { isTlsSilent = false } = {}): Promise<Scene> {
  const [requests, contacts, sockets]: [string[], string[], Set<Socket>] = [[], [], new Set()]
  const listener =
    (scheme: string): http.RequestListener =>
    (request, response) => {
      const url = `${scheme}://${request.headers.host}${request.url}`
      requests.push(url)
      answer(url, response, request)
    }
  const plain = http.createServer({ keepAliveTimeout: 0 }, listener('http'))
  const secure = isTlsSilent
    ? net.createServer()
    : https.createServer({ key: pem, cert: pem, keepAliveTimeout: 0 }, listener('https'))
  const servers = [plain, secure]
  for (const server of servers)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).once('close', () => sockets.delete(socket))
      socket.resume()
      if (isInside) contacts.push(`${socket.localAddress?.replace(/^::ffff:/, '')}:${socket.localPort}`)
    })
  await Promise.all([listen(plain, 80), listen(secure, 443)])
  return {
    requests,
    contacts,
    dial: isInside ? undefined : dialTo(servers, contacts),
    async close() {
      await Promise.all(Array.from(sockets, (socket) => new Promise((resolve) => socket.once('close', resolve))))
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

/** Inside the network namespace, every address is local, so the real ports are used. */
function listen(server: net.Server, port: number): Promise<void> {
  const at = isInside ? { port, host: '::' } : { port: 0, host: '127.0.0.1' }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, resolve)
  })
}

/** Connects every address to the scene and records it, so that a wrong contact is noticed. */
function dialTo([plain, secure]: readonly net.Server[], contacts: string[]): Dial {
  const options = { autoSelectFamily: false, maxCachedSessions: 0, rejectUnauthorized: false, timeout: 0 }
  const connect = buildConnector({ ...options, ca: pem })
  return (options, callback) => {
    const isSecure = options.protocol === 'https:'
    contacts.push(`${options.hostname}:${options.port || (isSecure ? 443 : 80)}`)
    const { port } = (isSecure ? secure : plain).address() as AddressInfo
    const socket = connect({ ...options, hostname: '127.0.0.1', port: `${port}` }, callback) as unknown as Socket
    return Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
  }
}

/** A resolver with given answers that records its queries. */
export function createResolver(
  answer: (host: string, times: number) => readonly string[] = () => [PUBLIC],
): Resolver & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async addresses(host) {
      asked.push(host)
      return answer(host, asked.filter((other) => other === host).length)
    },
    records: async () => [],
  }
}

type Resources = Readonly<Record<string, number>>

/** Counts the sockets, servers and timers that keep the process alive, by kind. */
export function openResources(): Resources {
  const counts: Record<string, number> = { Timeout: 0, TCPSocketWrap: 0, TCPServerWrap: 0, TLSWrap: 0 }
  for (const kind of process.getActiveResourcesInfo()) if (kind in counts) counts[kind]++
  return counts
}

/** Finds the kinds of which more are open than before, after closed handles have had time to disappear. */
export async function leftSince(before: Resources): Promise<string[]> {
  for (let turn = 0; ; turn++) {
    const left = Object.entries(openResources()).flatMap(([kind, count]) => (count > before[kind] ? kind : []))
    if (left.length === 0 || turn === 200) return left
    await new Promise((resolve) => setImmediate(resolve))
  }
}
