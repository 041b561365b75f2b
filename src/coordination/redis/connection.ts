import { createClient } from 'redis'
import { buildConnectionError } from './errors.ts'
import type { Script } from './scripts.ts'

/** Reply of a script. */
export type Reply = string | number | null | readonly Reply[]

/** Runs a script. Rejects if Redis cannot be reached or returns an error. */
export type RunScript = (script: Script, keys: readonly string[], args: readonly string[]) => Promise<Reply>

/** A connection that reconnects automatically. */
interface Connection {
  readonly isReady: boolean
  readonly run: RunScript
  /** Waits briefly for pending calls. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** A redis:// or rediss:// URL with the number of the database as its path. */
  readonly url: string
  /** Receives every connection error, for the log. The client reconnects on its own. */
  readonly onError?: (error: Error) => void
  /** Milliseconds without data after which a connection counts as dead and is replaced; 3 s by default. */
  readonly silentMs?: number
}

const CONNECT_MS = 1000
const MAX_RETRY_MS = 500
// If a server or network stops responding without closing the connection, the operating system notices only after minutes.
const PING_MS = 1000
const SILENT_MS = 3000

/**
 * Connects to Redis and keeps trying if that fails. Resolves after a second at the latest. Calls made while Redis is
 * disconnected reject and are not queued.
 */
export async function openConnection({ url, onError, silentMs }: ConnectionOptions): Promise<Connection> {
  const client = buildClient(url, silentMs)
  let isClosed = false
  let lastError: Error | undefined
  client.on('ready', () => (lastError = undefined))
  client.on('error', (error: Error) => {
    lastError = error
    if (!isClosed) onError?.(error)
  })
  const connected = client.connect().then(
    () => {},
    () => {}, // Closed before the connection was made. All other errors reach the listener and lead to a retry.
  )
  await Promise.race([connected, waitFor(CONNECT_MS)])
  return {
    get isReady() {
      return client.isReady
    },
    run: async (script, keys, args) => {
      // For an offline client the driver's own error contains no reason.
      if (!client.isReady) throw buildConnectionError(lastError, { isTls: url.startsWith('rediss:') })
      const values = { keys: [...keys], arguments: [...args] }
      try {
        return (await client.evalSha(script.sha, values)) as Reply
      } catch (error) {
        // A restarted server has no cached scripts.
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
        return (await client.eval(script.text, values)) as Reply
      }
    },
    close: async () => {
      isClosed = true
      if (client.isReady) await Promise.race([client.close().catch(() => {}), waitFor(CONNECT_MS)])
      client.destroy()
    },
  }
}

function buildClient(url: string, silentMs = SILENT_MS) {
  return createClient({
    url,
    disableOfflineQueue: true,
    // `socketTimeout` ends the commands of a dead connection. The client's own timer for each command costs a timer, a signal and an error.
    commandOptions: { timeout: 0 },
    // A feature of Redis Enterprise only.
    maintNotifications: 'disabled',
    pingInterval: PING_MS,
    socket: {
      connectTimeout: CONNECT_MS,
      socketTimeout: silentMs,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RETRY_MS),
    },
  })
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
