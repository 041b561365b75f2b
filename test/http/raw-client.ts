import { connect, type Socket } from 'node:net'
import { expect } from 'vitest'

/** A response as received on a socket. */
export interface Reply {
  readonly status: number
  readonly headers: Record<string, string>
  // biome-ignore lint/suspicious/noExplicitAny: tests access arbitrary fields.
  readonly body: any
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Sends texts with pauses between them, and reads until the server closes the connection or sends nothing for a while. */
export async function talk(
  port: number,
  ...texts: (string | Buffer)[]
): Promise<{ replies: Reply[]; isClosed: boolean }> {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  let isClosed = false
  socket.on('data', (data) => {
    got += data.toString('utf8')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  for (const text of texts) {
    const before = got.length
    socket.write(text)
    // The beginning of a body gets no response yet.
    for (let i = 0; i < 50 && got.length === before && !isClosed; i++) await pause(20)
  }
  const end = performance.now() + 20_000
  let quiet = 0
  for (let known = -1; !isClosed && quiet < 20 && performance.now() < end; known = got.length) {
    quiet = got.length > 0 && got.length === known ? quiet + 1 : 0
    await pause(20)
  }
  socket.destroy()
  return { replies: readReplies(got), isClosed }
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
