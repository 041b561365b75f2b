import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type DbOptions, MongoClient, type MongoClientOptions } from 'mongodb'
import { buildUrlError } from './url-errors.ts'

/** Time limit for closing the connections, in milliseconds. */
const CLOSE_MS = 1000

/** Milliseconds after which a connection to a server that hangs is closed. Its calls have timed out by then. */
const SOCKET_MS = 5000
/** A connection that has been in use for longer than this never returns to its pool. */
const LOST_MS = SOCKET_MS + 1000
/** Milliseconds between two checks for lost connections. */
const CHECK_MS = 1000

/**
 * The driver's other timeouts. They include time in which the event loop was blocked, and when the timeout of its monitor
 * expires, the driver clears the pool and fails all calls: with 800 ms, and four busy processes on two cores, a third of all
 * responses were 503. Only `guard.ts` limits the time that a client waits. The driver detects a dead process or a new primary
 * without timeouts.
 */
const DRIVER_MS = 10_000

/** Data must be neither lost nor stale. Set for the database, because the URL would override the options of the client. */
const DB_OPTIONS: DbOptions = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' }

const OPTIONS: MongoClientOptions = {
  appName: 'siteprint',
  connectTimeoutMS: DRIVER_MS,
  heartbeatFrequencyMS: 1000,
  // The driver's default of 2 opens connections too slowly for a burst of requests after a quiet period.
  maxConnecting: 8,
  // Shorter than the time limit for opening, so that a failed start reports the driver's reason.
  serverSelectionTimeoutMS: 3000,
  socketTimeoutMS: SOCKET_MS,
}

export interface LinkOptions {
  /** A connection string. */
  readonly url: string
  /** Milliseconds that a call may wait for a connection; at least 10 s. */
  readonly waitMs: number
  /** Receives the database of the new client, which replaces the former one. */
  readonly onRenewed: (db: Db) => void
}

/**
 * A MongoDB client that is replaced when it loses connections. The driver (7.9) waits forever if it writes to a socket whose
 * peer has just disconnected, because it receives that event only later in the same turn of the event loop. Such a connection
 * never returns to its pool, and a pool consists of 100 connections.
 */
export class MongoLink {
  readonly #options: LinkOptions
  /** Times at which connections were checked out, by connection id; one map for each client, the newest last. */
  readonly #clients = new Map<MongoClient, Map<number, number>>()
  readonly #timer: NodeJS.Timeout
  #client: MongoClient

  /** @throws SetupError if the URL is invalid */
  constructor(options: LinkOptions) {
    this.#options = options
    this.#client = this.#startClient()
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** The current client. */
  get client(): MongoClient {
    return this.#client
  }

  /** The database in the URL, or `siteprint`. The driver itself treats a URL without a database like one that names `test`. */
  get db(): Db {
    const hasName = /^[^/]+\/\/[^/]*\/[^?]/.test(this.#options.url)
    return this.#client.db(hasName ? undefined : 'siteprint', DB_OPTIONS)
  }

  /** The names of the servers, for messages. */
  get hosts(): string {
    const { srvHost, hosts } = this.#client.options
    return srvHost ?? hosts.join(', ')
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#clients.keys()].map((client) => this.#closeClient(client)))
  }

  #startClient(): MongoClient {
    const client = buildClient(this.#options)
    const inUse = new Map<number, number>()
    client.on('connectionCheckedOut', ({ connectionId }) => void inUse.set(Number(connectionId), performance.now()))
    client.on('connectionCheckedIn', ({ connectionId }) => void inUse.delete(Number(connectionId)))
    this.#clients.set(client, inUse)
    return client
  }

  #check(): void {
    const { size } = this.#clients
    const oldest = performance.now() - LOST_MS
    const isLost = [...(this.#clients.get(this.#client)?.values() ?? [])].some((since) => since < oldest)
    if (!isLost || size > 1) return
    const former = this.#client
    this.#client = this.#startClient()
    this.#options.onRenewed(this.db)
    // All pending calls of the former client have ended by then.
    setTimeout(() => void this.#closeClient(former), LOST_MS).unref()
  }

  /** Closes a client without waiting for a server that hangs. */
  async #closeClient(client: MongoClient): Promise<void> {
    this.#clients.delete(client)
    await Promise.race([client.close().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })])
  }
}

function buildClient({ url, waitMs }: LinkOptions): MongoClient {
  try {
    return new MongoClient(url, { ...OPTIONS, waitQueueTimeoutMS: Math.max(waitMs, DRIVER_MS) })
  } catch (error) {
    throw buildUrlError(url, error)
  }
}
