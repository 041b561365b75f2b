import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from 'mongodb'
import type { Key } from '../../keys/types.ts'
import type { Charge, Store, Switches } from '../types.ts'
import { setupFault, storeFault } from './errors.ts'
import { MongoKeys } from './keys.ts'
import { MongoLink } from './link.ts'
import { collectionsOf, prepareDatabase } from './schema.ts'
import { MongoSettings } from './settings.ts'
import { MongoUsage } from './usage.ts'

/** Milliseconds in which the database has to be ready at start. */
const OPEN_MS = 4000

/**
 * Of the time that a charge has, the part after which the server gives it up (`maxTimeMS`). Without it, a charge that waits
 * for a lock or a majority is carried out long after its request was answered 503: measured 373 in 20 s of `fsync` + lock.
 */
const SERVER_SHARE = 0.75

export interface OpenMongo {
  /** A connection string. */
  readonly url: string
  /**
   * Milliseconds that a charge may take, and may wait for the one before it; 800 by default. The server gives up what it has
   * not done after three quarters of that. A higher value also gives every call more time to get a connection.
   */
  readonly queueMs?: number
}

/**
 * Opens the store that any number of nodes share, in the URL's database, or `siteprint` where it names none. Makes the
 * collections, their indexes and validators where they are missing.
 * @throws SetupError within a few seconds when MongoDB is away, or refuses
 */
export async function openMongo({ url, queueMs = 800 }: OpenMongo): Promise<Store> {
  const store = new MongoStore(url, queueMs)
  await store.prepare()
  return store
}

interface Parts {
  readonly keys: MongoKeys
  readonly usage: MongoUsage
  readonly settings: MongoSettings
}

function partsOf(db: Db, queueMs: number): Parts {
  const { keys, usage, settings } = collectionsOf(db)
  const maxTimeMS = Math.ceil(queueMs * SERVER_SHARE)
  return {
    keys: new MongoKeys(keys),
    usage: new MongoUsage(usage, { queueMs, maxTimeMS }),
    settings: new MongoSettings(settings, maxTimeMS),
  }
}

class MongoStore implements Store {
  readonly isLocal = false
  readonly #link: MongoLink
  /** Replaced as a whole when the link is renewed. */
  #parts: Parts

  constructor(url: string, queueMs: number) {
    const onRenewed = (db: Db): void => {
      this.#parts = partsOf(db, queueMs)
    }
    this.#link = new MongoLink({ url, waitMs: queueMs, onRenewed })
    this.#parts = partsOf(this.#link.db, queueMs)
  }

  async prepare(): Promise<void> {
    try {
      const isReady = prepareDatabase(this.#link.db).then(() => true)
      const isLate = sleep(OPEN_MS, false, { ref: false })
      if (!(await Promise.race([isReady, isLate]))) throw new Error(`no answer within ${OPEN_MS} ms`)
    } catch (error) {
      void this.#link.close()
      throw setupFault(error, this.#link.hosts)
    }
  }

  findKey(hash: string): Promise<Key | null> {
    return answer(this.#parts.keys.find(hash))
  }

  getKey(id: string): Promise<Key | null> {
    return answer(this.#parts.keys.get(id))
  }

  listKeys(): Promise<readonly Key[]> {
    return answer(this.#parts.keys.list())
  }

  createKey(key: Key): Promise<void> {
    return answer(this.#parts.keys.create(key))
  }

  revokeKey(id: string, at: Date): Promise<boolean> {
    return answer(this.#parts.keys.revoke(id, at))
  }

  rotateKey(id: string, change: Parameters<Store['rotateKey']>[1]): Promise<boolean> {
    return answer(this.#parts.keys.rotate(id, change))
  }

  setPlan(id: string, plan: string): Promise<boolean> {
    return answer(this.#parts.keys.setPlan(id, plan))
  }

  usedBy(key: string, month: string): Promise<number> {
    return answer(this.#parts.usage.usedBy(key, month))
  }

  charge(charge: Charge): Promise<number | null> {
    return answer(this.#parts.usage.charge(charge))
  }

  touch(use: Omit<Charge, 'quota'>): Promise<number> {
    return answer(this.#parts.usage.touch(use))
  }

  lastUsed(key: string): Promise<Date | null> {
    return answer(this.#parts.usage.lastUsed(key))
  }

  switches(): Promise<Switches> {
    return answer(this.#parts.settings.switches())
  }

  setSwitches(change: Partial<Switches>): Promise<void> {
    return answer(this.#parts.settings.setSwitches(change))
  }

  keepOnce(name: string, value: string): Promise<string> {
    return answer(this.#parts.settings.keepOnce(name, value))
  }

  ping(): Promise<void> {
    return answer(this.#parts.settings.probe())
  }

  close(): Promise<void> {
    return this.#link.close()
  }
}

async function answer<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw storeFault(error)
  }
}
