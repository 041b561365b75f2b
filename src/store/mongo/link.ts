import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type DbOptions, MongoClient, type MongoClientOptions } from 'mongodb'
import { urlFault } from './url-errors.ts'

/** Milliseconds in which connections have to end. */
const CLOSE_MS = 1000

/** A connection to a server that hangs is given up then; callers have given up before. */
const SOCKET_MS = 5000
/** A call that is out longer is out for good. */
const LOST_MS = SOCKET_MS + 1000
const LOOK_MS = 1000

/**
 * For the driver's other timeouts. They count time in which this thread did not run, and when the one of its monitor ends, it
 * clears the pool and fails all calls: with 800 ms, and four busy processes on two cores, a third of all responses were 503.
 * The time that a client waits is bounded by `guard.ts` alone. A dead process or a new primary is noticed without timeouts.
 */
const DRIVER_MS = 10_000

/** What an answer stands on must not be lost or old, whatever the URL says: beside a client's options it has a say too. */
const DB_OPTIONS: DbOptions = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' }

const OPTIONS: MongoClientOptions = {
  appName: 'siteprint',
  connectTimeoutMS: DRIVER_MS,
  heartbeatFrequencyMS: 1000,
  // Many requests at once, after a quiet time: two at a time, as the driver does by itself, would be opened too slowly.
  maxConnecting: 8,
  // Shorter than the time to open: a start that fails says why.
  serverSelectionTimeoutMS: 3000,
  socketTimeoutMS: SOCKET_MS,
}

export interface LinkOptions {
  /** A connection string. */
  readonly url: string
  /** Milliseconds that a call may wait for a connection; at least 10 s. */
  readonly waitMs: number
  /** Told of the database to use from now on. */
  readonly onRenewed: (db: Db) => void
}

/**
 * A client of MongoDB that is made anew once connections of it are lost. The driver (7.9) waits for ever when it writes
 * to a socket whose other end has gone a moment before: it is told of the end only later in the same turn of the event
 * loop. Such a connection never comes back to its pool, and 100 of them would be all there are.
 */
export class MongoLink {
  readonly #options: LinkOptions
  /** By client, the newest last: when each connection that is in use was taken, by its number. */
  readonly #clients = new Map<MongoClient, Map<number, number>>()
  readonly #timer: NodeJS.Timeout
  #client: MongoClient

  /** @throws SetupError when the URL is none */
  constructor(options: LinkOptions) {
    this.#options = options
    this.#client = this.#begin()
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  /** The database that the URL names, or `siteprint`: the driver does not tell a URL that names `test` from one that names none. */
  get db(): Db {
    const hasName = /^[^/]+\/\/[^/]*\/[^?]/.test(this.#options.url)
    return this.#client.db(hasName ? undefined : 'siteprint', DB_OPTIONS)
  }

  /** The servers' names, for people. */
  get hosts(): string {
    const { srvHost, hosts } = this.#client.options
    return srvHost ?? hosts.join(', ')
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([...this.#clients.keys()].map((client) => this.#end(client)))
  }

  #begin(): MongoClient {
    const client = buildClient(this.#options)
    const inUse = new Map<number, number>()
    client.on('connectionCheckedOut', ({ connectionId }) => void inUse.set(Number(connectionId), performance.now()))
    client.on('connectionCheckedIn', ({ connectionId }) => void inUse.delete(Number(connectionId)))
    this.#clients.set(client, inUse)
    return client
  }

  #look(): void {
    const { size } = this.#clients
    const oldest = performance.now() - LOST_MS
    const isLost = [...(this.#clients.get(this.#client)?.values() ?? [])].some((since) => since < oldest)
    if (!isLost || size > 1) return
    const former = this.#client
    this.#client = this.#begin()
    this.#options.onRenewed(this.db)
    // What is still under way with it ends by then.
    setTimeout(() => void this.#end(former), LOST_MS).unref()
  }

  /** A server that hangs does not answer goodbyes either. */
  async #end(client: MongoClient): Promise<void> {
    this.#clients.delete(client)
    await Promise.race([client.close().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })])
  }
}

function buildClient({ url, waitMs }: LinkOptions): MongoClient {
  try {
    return new MongoClient(url, { ...OPTIONS, waitQueueTimeoutMS: Math.max(waitMs, DRIVER_MS) })
  } catch (error) {
    throw urlFault(url, error)
  }
}
