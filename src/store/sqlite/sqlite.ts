import type { Key } from '../../keys/types.ts'
import { type Charge, type Store, StoreError, type Switches } from '../types.ts'
import { SqliteCharges } from './charges.ts'
import { openDatabase, type SqliteConnection, type SqliteFolder } from './database.ts'
import { setupFault, storeFault } from './errors.ts'
import { SqliteHeldKeys } from './key-cache.ts'
import { SqliteKeys } from './keys.ts'
import { SqliteSettings } from './settings.ts'
import { SqliteUsage } from './usage.ts'

/**
 * Opens the store of one machine, in the file `siteprint.db` of a folder.
 * @throws SetupError when another server runs on the folder, or its database is damaged, unreadable or of a later version
 */
export async function openSqlite(options: SqliteFolder): Promise<Store> {
  const connection = openDatabase(options)
  try {
    return new SqliteStore(connection)
  } catch (error) {
    connection.close()
    throw setupFault(error, options.folder)
  }
}

/** Calls are answered in the turn they are made in; only charges and touches wait for its end, to share one commit. */
class SqliteStore implements Store {
  readonly isLocal = true
  readonly #connection: SqliteConnection
  readonly #keys: SqliteKeys
  readonly #held: SqliteHeldKeys
  readonly #usage: SqliteUsage
  readonly #charges: SqliteCharges
  readonly #settings: SqliteSettings

  constructor(connection: SqliteConnection) {
    this.#connection = connection
    this.#keys = new SqliteKeys(connection.db)
    this.#held = new SqliteHeldKeys(connection.db, this.#keys)
    this.#usage = new SqliteUsage(connection.db)
    this.#charges = new SqliteCharges(this.#usage, connection.writer)
    this.#settings = new SqliteSettings(connection.db)
  }

  findKey(hash: string): Promise<Key | null> {
    return this.#answer(() => this.#held.find(hash))
  }

  getKey(id: string): Promise<Key | null> {
    return this.#answer(() => this.#keys.get(id))
  }

  listKeys(): Promise<readonly Key[]> {
    return this.#answer(() => this.#keys.list())
  }

  createKey(key: Key): Promise<void> {
    return this.#write(() => this.#keys.create(key))
  }

  revokeKey(id: string, at: Date): Promise<boolean> {
    return this.#write(() => this.#keys.revoke(id, at))
  }

  rotateKey(id: string, change: Parameters<Store['rotateKey']>[1]): Promise<boolean> {
    return this.#write(() => this.#keys.rotate(id, change))
  }

  setPlan(id: string, plan: string): Promise<boolean> {
    return this.#write(() => this.#keys.setPlan(id, plan))
  }

  usedBy(key: string, month: string): Promise<number> {
    return this.#answer(() => this.#usage.usedBy(key, month))
  }

  charge(charge: Charge): Promise<number | null> {
    return this.#charges.charge(charge)
  }

  touch(use: Omit<Charge, 'quota'>): Promise<number> {
    return this.#connection.writer.later(() => this.#usage.touch(use))
  }

  lastUsed(key: string): Promise<Date | null> {
    return this.#answer(() => this.#usage.lastUsed(key))
  }

  switches(): Promise<Switches> {
    return this.#answer(() => this.#settings.switches())
  }

  setSwitches(change: Partial<Switches>): Promise<void> {
    return this.#write(() => this.#settings.setSwitches(change))
  }

  keepOnce(name: string, value: string): Promise<string> {
    return this.#write(() => this.#settings.keepOnce(name, value))
  }

  async ping(): Promise<void> {
    await this.#answer(() => this.#connection.writer.probe(() => this.#settings.probe()))
  }

  async close(): Promise<void> {
    if (this.#connection.db.open) await this.#connection.writer.end()
    this.#connection.close()
  }

  #write<T>(work: () => T): Promise<T> {
    this.#held.forget() // A write of our own shows in no version.
    return this.#answer(() => this.#connection.writer.now(work))
  }

  async #answer<T>(work: () => T): Promise<T> {
    // Statements outlive the connection that made them (libsql 0.5.29).
    if (!this.#connection.db.open) throw new StoreError('the store is closed')
    try {
      return work()
    } catch (error) {
      throw storeFault(error)
    }
  }
}
