import type Database from 'libsql'
import { LRUCache } from 'lru-cache'
import type { Key } from '../../keys/types.ts'

const MAX_CACHED_KEYS = 10_000

/**
 * Caches keys until another connection writes to the database. Checking `data_version` costs a third of reading a key. It does
 * not change with writes of this connection, so they have to call `clear`. A revocation by another process takes effect in
 * the next turn of the event loop.
 */
export class SqliteKeyCache {
  readonly #version: Database.Statement
  readonly #keys = new LRUCache<string, Key>({ max: MAX_CACHED_KEYS })
  #lastVersion = -1
  #isChecked = false

  constructor(db: Database.Database) {
    this.#version = db.prepare('PRAGMA data_version')
  }

  /** @param read reads a key that is not cached */
  find(hash: string, read: () => Key | null): Key | null {
    this.#checkVersion()
    const cached = this.#keys.get(hash)
    if (cached !== undefined) return cached
    const key = read()
    if (key !== null) this.#keys.set(hash, key)
    return key
  }

  clear(): void {
    this.#keys.clear()
  }

  /** Runs once in a turn of the event loop: requests of this turn arrived before it began. */
  #checkVersion(): void {
    if (this.#isChecked) return
    this.#isChecked = true
    setImmediate(() => {
      this.#isChecked = false
    })
    // `get` is safe here, because this statement cannot fail at a constraint.
    const { data_version: version } = this.#version.get() as { readonly data_version: number }
    if (version !== this.#lastVersion) this.clear()
    this.#lastVersion = version
  }
}
