import { createClient } from 'redis'
import { redisFault } from './errors.ts'
import type { Script } from './scripts.ts'

/** What our scripts answer. */
export type Reply = string | number | null | readonly Reply[]

/** Runs a script. Rejects when Redis is away or refuses. */
export type Run = (script: Script, keys: readonly string[], words: readonly string[]) => Promise<Reply>

/** A connection that comes back by itself. */
interface Connection {
  readonly isReady: boolean
  readonly run: Run
  /** Waits shortly for what is under way. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** redis:// or rediss://, with the number of the database as its path. */
  readonly url: string
  /** Told of every failure of the connection, for the log; it is tried again by itself. */
  readonly onError?: (error: Error) => void
}

const CONNECT_MS = 1000
const MAX_RETRY_MS = 500
// A server or a network may fall silent and leave the connection standing: the system notices after minutes.
const PING_MS = 1000
const SILENT_MS = 3000

/**
 * Connects to Redis, or keeps trying: it resolves after a second at the latest, and calls reject until Redis is there.
 * Nothing is queued for later.
 */
export async function openConnection({ url, onError }: ConnectionOptions): Promise<Connection> {
  const client = buildClient(url)
  let isClosed = false
  let lastError: Error | undefined
  client.on('ready', () => (lastError = undefined))
  client.on('error', (error: Error) => {
    lastError = error
    if (!isClosed) onError?.(error)
  })
  const connected = client.connect().then(
    () => {},
    () => {}, // Closed before it came about; all else is told to the listener and tried again.
  )
  await Promise.race([connected, after(CONNECT_MS)])
  return {
    get isReady() {
      return client.isReady
    },
    run: async (script, keys, words) => {
      // Of a client that is offline the driver says no more than that.
      if (!client.isReady) throw redisFault(lastError, { isTls: url.startsWith('rediss:') })
      const values = { keys: [...keys], arguments: [...words] }
      try {
        return (await client.evalSha(script.sha, values)) as Reply
      } catch (error) {
        // A server that was started anew knows no script.
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return (await client.eval(script.text, values)) as Reply
      }
    },
    close: async () => {
      isClosed = true
      if (client.isReady) await Promise.race([client.close().catch(() => {}), after(CONNECT_MS)])
      client.destroy()
    },
  }
}

function buildClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    // Of Redis Enterprise alone.
    maintNotifications: 'disabled',
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RETRY_MS),
    },
  })
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
