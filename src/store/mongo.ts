import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, type DbOptions, MongoClient, type MongoClientOptions } from 'mongodb'
import { SetupError } from '../errors.ts'
import { setupFault, storeFault } from './mongo-fault.ts'
import { MongoKeys } from './mongo-keys.ts'
import { type Collections, prepareDatabase } from './mongo-schema.ts'
import { MongoSettings } from './mongo-settings.ts'
import { MongoUsage } from './mongo-usage.ts'
import type { Charge, Key, Store, Switches } from './types.ts'

/** Milliseconds in which the database has to be ready at start, and in which connections have to end. */
const OPEN_MS = 4000
const CLOSE_MS = 1000

/** What an answer stands on must not be lost or old, whatever the URL says: beside a client's options it has a say too. */
const DB_OPTIONS: DbOptions = { writeConcern: { w: 'majority', journal: true }, readPreference: 'primary' }

/** The driver's clocks go on while this thread is busy with a burst: whoever asks has given up before. */
const BURST_MS = 3000

const OPTIONS: MongoClientOptions = {
  appName: 'siteprint',
  connectTimeoutMS: 800,
  heartbeatFrequencyMS: 1000,
  // Many requests at once, after a quiet time: two at a time, as the driver does by itself, would be opened too slowly.
  maxConnecting: 8,
  // A connection to a server that hangs is given up then; callers have given up before.
  socketTimeoutMS: 5000,
}

export interface OpenMongo {
  /** A connection string. */
  readonly url: string
  /** Milliseconds that a charge may wait for the one before it; 800 by default: what nobody waits for any more is not sent. More of them give a call more time for a connection, too. */
  readonly queueMs?: number
}

/**
 * Opens the store that any number of nodes share, in the URL's database, or `siteprint` where it names none. Makes the
 * collections, their indexes and validators where they are missing.
 * @throws SetupError within a few seconds when MongoDB is away, or refuses
 */
export async function openMongo({ url, queueMs = 800 }: OpenMongo): Promise<Store> {
  const client = buildClient(url, queueMs)
  const { srvHost, hosts } = client.options
  try {
    const late = sleep(OPEN_MS, null, { ref: false })
    const collections = await Promise.race([prepareDatabase(databaseOf(client, url)), late])
    if (collections === null) throw new Error(`no answer within ${OPEN_MS} ms`)
    return new MongoStore({ client, collections, queueMs })
  } catch (error) {
    closeClient(client)
    throw setupFault(error, srvHost ?? hosts.join(', '))
  }
}

function buildClient(url: string, queueMs: number): MongoClient {
  const waitMs = Math.max(queueMs, BURST_MS)
  try {
    // Both alike: with a longer wait for a connection than for a server, an update to one that was killed never ended
    // (driver 7.9).
    return new MongoClient(url, { ...OPTIONS, serverSelectionTimeoutMS: waitMs, waitQueueTimeoutMS: waitMs })
  } catch {
    // The driver's own words may quote the URL, and with it the password.
    throw new SetupError(
      'MONGODB_URL is not a connection string of MongoDB: write mongodb://user:password@host:27017/siteprint, with special characters of the password as %XX',
    )
  }
}

/** The driver does not tell a URL that names `test` from one that names no database. */
function databaseOf(client: MongoClient, url: string): Db {
  return client.db(/^[^/]+\/\/[^/]*\/[^?]/.test(url) ? undefined : 'siteprint', DB_OPTIONS)
}

/** A server that hangs does not answer goodbyes either. */
async function closeClient(client: MongoClient): Promise<void> {
  await Promise.race([client.close().catch(() => {}), sleep(CLOSE_MS, undefined, { ref: false })])
}

interface MongoParts {
  readonly client: MongoClient
  readonly collections: Collections
  readonly queueMs: number
}

class MongoStore implements Store {
  readonly isLocal = false
  readonly #client: MongoClient
  readonly #keys: MongoKeys
  readonly #usage: MongoUsage
  readonly #settings: MongoSettings

  constructor({ client, collections, queueMs }: MongoParts) {
    this.#client = client
    this.#keys = new MongoKeys(collections.keys)
    this.#usage = new MongoUsage(collections.usage, queueMs)
    this.#settings = new MongoSettings(collections.settings)
  }

  findKey(hash: string): Promise<Key | null> {
    return answer(this.#keys.find(hash))
  }

  getKey(id: string): Promise<Key | null> {
    return answer(this.#keys.get(id))
  }

  listKeys(): Promise<readonly Key[]> {
    return answer(this.#keys.list())
  }

  createKey(key: Key): Promise<void> {
    return answer(this.#keys.create(key))
  }

  revokeKey(id: string, at: Date): Promise<boolean> {
    return answer(this.#keys.revoke(id, at))
  }

  rotateKey(id: string, change: Parameters<Store['rotateKey']>[1]): Promise<boolean> {
    return answer(this.#keys.rotate(id, change))
  }

  setPlan(id: string, plan: string): Promise<boolean> {
    return answer(this.#keys.setPlan(id, plan))
  }

  usedBy(key: string, month: string): Promise<number> {
    return answer(this.#usage.usedBy(key, month))
  }

  charge(charge: Charge): Promise<number | null> {
    return answer(this.#usage.charge(charge))
  }

  touch(use: Omit<Charge, 'quota'>): Promise<number> {
    return answer(this.#usage.touch(use))
  }

  lastUsed(key: string): Promise<Date | null> {
    return answer(this.#usage.lastUsed(key))
  }

  switches(): Promise<Switches> {
    return answer(this.#settings.switches())
  }

  setSwitches(change: Partial<Switches>): Promise<void> {
    return answer(this.#settings.setSwitches(change))
  }

  keepOnce(name: string, value: string): Promise<string> {
    return answer(this.#settings.keepOnce(name, value))
  }

  async ping(): Promise<void> {
    await this.switches()
  }

  close(): Promise<void> {
    return closeClient(this.#client)
  }
}

async function answer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw storeFault(error)
  }
}
