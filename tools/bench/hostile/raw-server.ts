import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { buildConnector } from 'undici'
import { type Dial, openDial } from '../../../src/fetch/connector.ts'
import { authority, key } from './certificates.ts'

/** What a site does with a request; the socket is its own. */
export type Play = (socket: Socket, path: string) => void
/** By path: `/` stands for every page. Without a play for them, /robots.txt and /favicon.ico are not there. */
export type Plays = Play | Readonly<Record<string, Play>>

export interface Opened {
  readonly url: string
  readonly close: () => Promise<void>
  /** Where the site needs another way to open sockets than the usual one. */
  readonly dial?: Dial
}

export type Bytes = string | Uint8Array

/** A head and what follows it. */
export function head(fields = 'content-type: text/html', status = '200 OK'): string {
  return `HTTP/1.1 ${status}\r\n${fields}${fields === '' ? '' : '\r\n'}\r\n`
}

/** Answers with a body of known length. */
export function answer(body: Bytes, fields = 'content-type: text/html', status?: string): Play {
  const bytes = Buffer.from(body as string)
  return (socket) => {
    socket.write(head(`${fields}\r\ncontent-length: ${bytes.length}`, status))
    socket.write(bytes)
  }
}

/** Writes these bytes, and then waits. */
export const say =
  (...parts: readonly Bytes[]): Play =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

/** Writes these bytes, and then closes. */
export const sayAndEnd =
  (...parts: readonly Bytes[]): Play =>
  (socket) => {
    for (const part of parts) socket.write(part)
    socket.end()
  }

/** Writes these bytes, and resets the connection when they are read. */
export const sayAndReset =
  (text: string): Play =>
  (socket) => {
    // A reset drops what the other side has not read: it comes a little later.
    socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50))
  }

/** Writes `first`, then `part` every so many milliseconds for ever. */
export const drip =
  (first: string, part: string, everyMs = 50): Play =>
  (socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(part), everyMs)
    socket.once('close', () => clearInterval(timer))
  }

/** Writes `first`, then `part` for ever, as fast as it is taken. */
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

/** A server on 127.0.0.1 that plays its part once a request has come. */
export function openSite(plays: Plays, scheme = 'http'): Promise<Opened> {
  return listen(createServer(onRequest(plays)), scheme)
}

/** The same over TLS. */
export async function openTlsSite(plays: Plays, cert: string): Promise<Opened> {
  const opened = await listen(createTlsServer({ key, cert }, onRequest(plays)), 'https')
  const dial = buildConnector({ ca: authority, autoSelectFamily: false, timeout: 0, maxCachedSessions: 0 })
  return { ...opened, dial: dial as unknown as Dial }
}

/** A port on which nobody listens. */
export async function openNothing(): Promise<Opened> {
  const { url, close } = await openSite(() => {})
  await close()
  return { url, close: async () => {} }
}

/** A server that plays as soon as it is connected to. */
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
      playOf(plays, path)(socket, path)
    })
  }
}

function playOf(plays: Plays, path: string): Play {
  const isBeside = path === '/robots.txt' || path === '/favicon.ico'
  if (typeof plays === 'function') return isBeside ? MISSING : plays
  return plays[path] ?? (isBeside ? MISSING : plays['/'])
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

/** Whatever name is asked for, port 80 of it is the site on 127.0.0.1; the peer is made to look as asked for. */
export function dialTo(url: string): Dial {
  const dial = openDial()
  return (options, callback) => {
    const socket = dial({ ...options, hostname: '127.0.0.1', port: new URL(url).port }, callback)
    if (socket) Object.defineProperty(socket, 'remoteAddress', { value: options.hostname })
    return socket
  }
}
