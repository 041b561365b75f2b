import type Database from 'libsql'
import { LRUCache } from 'lru-cache'
import type { Key } from '../../keys/types.ts'
import type { SqliteKeys } from './keys.ts'

const MANY = 10_000

/**
 * Keys that were looked up, held until anybody writes to the database but this connection, which has to tell of its own
 * writes: to ask SQLite whether somebody did costs a third of reading a key. A revocation is seen in the next turn of the event loop.
 */
export class SqliteHeldKeys {
  readonly #keys: SqliteKeys
  readonly #version: Database.Statement
  readonly #held = new LRUCache<string, Key>({ max: MANY })
  #seen = -1
  #hasLooked = false

  constructor(db: Database.Database, keys: SqliteKeys) {
    this.#keys = keys
    this.#version = db.prepare('PRAGMA data_version')
  }

  find(hash: string): Key | null {
    this.#look()
    const held = this.#held.get(hash)
    if (held !== undefined) return held
    const key = this.#keys.find(hash)
    if (key !== null) this.#held.set(hash, key)
    return key
  }

  /** Once in a turn of the event loop: what this turn answers was asked before it began. */
  #look(): void {
    if (this.#hasLooked) return
    this.#hasLooked = true
    setImmediate(() => {
      this.#hasLooked = false
    })
    // By `get`, as this statement has no constraint to fail at.
    const { data_version: version } = this.#version.get() as { readonly data_version: number }
    if (version !== this.#seen) this.forget()
    this.#seen = version
  }

  /** This connection has written keys. */
  forget(): void {
    this.#held.clear()
  }
}
