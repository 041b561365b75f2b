import { SetupError } from '../errors.ts'
import { readBody } from './body.ts'

export interface DownloadOptions {
  /** Number of bytes after which the rest of the file is not read. */
  readonly maxBytes: number
  /** Time limit for the whole file, with redirects. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/
const MAX_REDIRECTS = 5

/** Whether a file may be downloaded from a URL: over https, or from this machine. */
export function isDownloadUrl({ protocol, hostname, username, password }: URL): boolean {
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isSafe && username === '' && password === ''
}

/**
 * Downloads the beginning of a file from a URL that the operator has configured, up to `maxBytes`. The address policy of scans does
 * not apply, so that the URL may be in the operator's own network; but a redirect never leads from another machine to this one.
 * @throws SetupError that says what failed; the signal's reason
 */
export async function download(url: string, { maxBytes, timeoutMs, signal }: DownloadOptions): Promise<Uint8Array> {
  const { Agent, request } = await import('undici') // Loading it takes a tenth of the start time.
  const dispatcher = new Agent({ connect: { timeout: timeoutMs } })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    let next = new URL(url)
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const { statusCode, headers, body } = await request(next, { dispatcher, signal: limit })
      const { location } = headers
      if (statusCode === 200) {
        const bounds = { maxWireBytes: maxBytes, maxBodyBytes: maxBytes, signal: limit }
        return (await readBody(body, headers['content-encoding']?.toString(), bounds)).bytes
      }
      body.on('error', () => {}).destroy()
      if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== 'string')
        throw new SetupError(`the server responded with status ${statusCode}`)
      next = findRedirect(next, location)
    }
    throw new SetupError(`the server redirected more than ${MAX_REDIRECTS} times`)
  } catch (error) {
    signal.throwIfAborted()
    throw toSetupError(error, timeoutMs)
  } finally {
    await dispatcher.destroy()
  }
}

function findRedirect(from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : null
  if (next === null || !isDownloadUrl(next) || (LOOPBACK.test(next.hostname) && !LOOPBACK.test(from.hostname)))
    throw new SetupError('the server redirected to a URL that is not https')
  return next
}

function toSetupError(error: unknown, timeoutMs: number): SetupError {
  if (error instanceof SetupError) return error
  const { name, code, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError') return new SetupError(`the server did not send the file within ${timeoutMs / 1000} s`)
  return new SetupError(`the connection failed (${code ?? message})`)
}
