import { once } from 'node:events'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { expect } from 'vitest'
import { until } from '../support/until.ts'

/** A response as received on a socket. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields.
  readonly body: any
}

/** Id of the request that ends a conversation. */
const LAST = 'last-request-of-the-client'

/** How a conversation went. */
export interface Conversation {
  /** The responses, without that to the last request of the client. */
  readonly replies: Reply[]
  /** Whether the server closed the connection by itself: the last request got no response. */
  readonly isClosed: boolean
}

/**
 * Sends texts, each after something has arrived in response to the one before, and then one more request that asks the server to close
 * the connection. Responses have the order of their requests, so nothing else can follow the response to the last request.
 */
export async function talk(port: number, ...texts: (string | Buffer)[]): Promise<Conversation> {
  const last = `GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Request-Id: ${LAST}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  // The server may reset a connection whose rest it does not read.
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve()))
  let got = ''
  socket.on('data', (data) => {
    got += data.toString('utf8')
  })
  for (const [i, text] of texts.entries()) {
    const isLast = i === texts.length - 1
    const arrival = new Promise<void>((resolve) => socket.once('data', () => resolve()))
    socket.write(isLast ? Buffer.concat([Buffer.from(text), Buffer.from(last)]) : text)
    if (!isLast) await Promise.race([arrival, closed])
  }
  await closed
  const replies = readReplies(got)
  const others = replies.filter(({ headers }) => headers['x-request-id'] !== LAST)
  return { replies: others, isClosed: others.length === replies.length }
}

export function readReplies(text: string): Reply[] {
  const at = text.indexOf('\r\n\r\n')
  if (at < 0) return []
  const [line, ...lines] = text.slice(0, at).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((one) => one.split(/: (.*)/s).slice(0, 2)).map(([a, b]) => [a.toLowerCase(), b]),
  )
  const length = Number(headers['content-length'] ?? 0)
  const rest = Buffer.from(text.slice(at + 4))
  const body = rest.subarray(0, length).toString()
  const reply = { status: Number(line.split(' ')[1]), headers, body: body === '' ? null : JSON.parse(body) }
  return [reply, ...readReplies(rest.subarray(length).toString())]
}

/** Asserts the properties of every error response to malformed input. */
export function expectApiError({ headers, body }: Reply): void {
  expect(Object.keys(body)).toEqual(['error', 'code', 'retryable', 'requestId'])
  expect(headers['x-request-id']).toBe(body.requestId)
  expect(headers['cache-control']).toBe('no-store')
  for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).toMatch(/^\d+$/)
  expect(headers['retry-after']).toBeUndefined()
}

/** Reads until the server closes the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  let got = ''
  for await (const data of socket) got += data
  return got
}

/** Connects to a server of this process. @returns both ends of the connection; that of the client may end its direction alone */
export async function connectTo(server: Server): Promise<{ readonly socket: Socket; readonly received: Socket }> {
  const connected = once(server, 'connection')
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
  return { socket, received: (await connected)[0] }
}

/** Waits until a server knows that its client has ended or reset the connection. */
export const untilEnded = (received: Socket): Promise<void> =>
  until(() => received.destroyed || received.readableEnded, true)
