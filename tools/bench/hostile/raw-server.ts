import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { buildConnector } from 'undici'
import { type Dial, openDial } from '../../../src/fetch/connector.ts'
import { authority, key } from './certificates.ts'

/** How a site responds to a request. It may do anything with the socket. */
export type Play = (socket: Socket, path: string) => void
/** By path; `/` applies to all pages. /robots.txt and /favicon.ico respond with 404 unless they are defined. */
export type Plays = Play | Readonly<Record<string, Play>>

export interface Opened {
  readonly url: string
  readonly close: () => Promise<void>
  /** A connector that the site requires instead of the default one. */
  readonly dial?: Dial
}

export type Bytes = string | Uint8Array

/** Builds the head of a response. */
export function head(fields = 'content-type: text/html', status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${fields}${fields === '' ? '' : '\r\n'}\r\n`
}

/** Responds with a body and its length. */
export function answer(body: Bytes, fields = 'content-type: text/html', status?: string): Play {
  const bytes = Buffer.from(body as string)
  return (socket) => {
    socket.write(head(`${fields}\r\ncontent-length: ${bytes.length}`, status))
    socket.write(bytes)
  }
}

/** Writes these bytes, then keeps the connection open. */
export const say =
  (...parts: readonly Bytes[]): Play =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

/** Writes these bytes, then closes the connection. */
export const sayAndEnd =
  (...parts: readonly Bytes[]): Play =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

/** Writes these bytes, and resets the connection when they have been read. */
export const sayAndReset =
  (text: string): Play =>
  (socket) => {
    // A reset discards unread data, so it is delayed.
    socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50))
  }

/** Writes `first`, then `part` endlessly at an interval. */
export const drip =
  (first: string, part: string, everyMs = 50): Play =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(part), everyMs)
    socket.once('close', () => clearInterval(timer))
  }

/** Writes `first`, then `part` endlessly, as fast as possible. */
export const flood =
  (first: string, part: Bytes): Play =>
  (socket) => {
    socket.write(first)
    const pour = (): void => {
      if (socket.destroyed) return
      if (socket.write(part)) setImmediate(pour)
      else socket.once('drain', pour)
    }
    pour()
  }

const MISSING = answer('', 'content-type: text/plain', '404 Not Found')

/** Opens a server on 127.0.0.1 that responds to each request. */
export function openSite(plays: Plays, scheme = 'http'): Promise<Opened> {
  return listen(createServer(onRequest(plays)), scheme)
}

/** Opens such a server with TLS. */
export async function openTlsSite(plays: Plays, cert: string): Promise<Opened> {
  const opened = await listen(createTlsServer({ key, cert }, onRequest(plays)), 'https')
  const options = {
    ca: authority,
    rejectUnauthorized: false,
    autoSelectFamily: false,
    timeout: 0,
    maxCachedSessions: 0,
  }
  const dial = buildConnector(options)
  return { ...opened, dial: dial as unknown as Dial }
}

/** Finds a port on which no server listens. */
export async function openClosedPort(): Promise<Opened> {
  const { url, close } = await openSite(() => {})
  await close()
  return { url, close: async () => {} }
}

/** Opens a server that responds to each connection, without waiting for a request. */
export function openListener(play: (socket: Socket) => void, scheme = 'http'): Promise<Opened> {
  return listen(
    createServer((socket) => play(socket.on('error', () => {}).resume())),
    scheme,
  )
}

function onRequest(plays: Plays): (socket: Socket) => void {
  return (socket) => {
    let text = ''
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const path = text.split(' ')[1]
      text = text.slice(end + 4)
      findPlay(plays, path)(socket, path)
    })
  }
}

function findPlay(plays: Plays, path: string): Play {
  const isSideEvidence = path === '/robots.txt' || path === '/favicon.ico'
  if (typeof plays === 'function') return isSideEvidence ? MISSING : plays
  return plays[path] ?? (isSideEvidence ? MISSING : plays['/'])
}

async function listen(server: Server, scheme: string): Promise<Opened> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`, close }
}

/** Connects every host to the site on 127.0.0.1, and makes the peer address look like the requested one. */
export function dialTo(url: string): Dial {
  const dial = openDial()
  return (options, callback) => {
    const socket = dial({ ...options, hostname: '127.0.0.1', port: new URL(url).port }, callback)
    if (socket) Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
    return socket
  }
}
