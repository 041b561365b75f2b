import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'libsql'
import { StoreError } from '../types.ts'
import type { SqliteDisk } from './disk.ts'
import { containsAny, eraseRemains, tryToEmptyLog } from './erase.ts'
import { toStoreError } from './errors.ts'
import { SqliteWriter } from './writer.ts'

interface ConnectionParts {
  /** The database file. */
  readonly file: string
  readonly db: Database.Database
  readonly disk: SqliteDisk
  /** The lock file of a server; undefined for a tool. */
  readonly lock: Database.Database | undefined
}

/** How often and how long the log waits for other processes: 5 s in total. */
const MAX_ERASE_TRIES = 200
const ERASE_PAUSE_MS = 25

/** An open database, its writer, and the lock of its folder. */
export class SqliteConnection {
  readonly db: Database.Database
  readonly writer: SqliteWriter
  readonly #parts: ConnectionParts
  #eraseTimer: NodeJS.Timeout | undefined

  constructor(parts: ConnectionParts) {
    this.db = parts.db
    this.writer = new SqliteWriter(parts.db, parts.disk)
    this.#parts = parts
  }

  /** Runs `work` immediately. @throws StoreError unless the request itself was invalid */
  async read<T>(work: () => T): Promise<T> {
    // Statements can still be used after their connection was closed (libsql 0.5.29).
    if (!this.db.open) throw new StoreError('the store is closed')
    try {
      return work()
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** Runs `work` immediately in a transaction of its own, which is durable when this resolves. */
  write<T>(work: () => T): Promise<T> {
    return this.read(() => this.writer.runNow(work))
  }

  /**
   * Waits until no file contains what was deleted before. Other processes that read, such as a backup, delay it; after a while it
   * continues in the background.
   * @param texts what the deleted rows contained. If other rows contain one of them too, this takes longer than necessary
   */
  async erase(texts: readonly string[]): Promise<void> {
    await this.#eraseLog()
    if (!this.db.open || !(await containsAny(this.#parts.file, texts)) || !this.db.open) return
    eraseRemains(this.db)
    await this.#eraseLog()
  }

  async #eraseLog(): Promise<void> {
    for (let triesLeft = MAX_ERASE_TRIES; triesLeft > 0; triesLeft--) {
      if (!this.db.open || tryToEmptyLog(this.db)) return
      await sleep(ERASE_PAUSE_MS)
    }
    this.#eraseLater()
  }

  #eraseLater(): void {
    if (this.#eraseTimer !== undefined) return
    this.#eraseTimer = setInterval(() => {
      if (!this.db.open || tryToEmptyLog(this.db)) this.#endErasing()
    }, 1000).unref()
  }

  #endErasing(): void {
    clearInterval(this.#eraseTimer)
    this.#eraseTimer = undefined
  }

  close(): void {
    this.#endErasing()
    const { db, disk, lock } = this.#parts
    if (!db.open) return
    try {
      // A copy of the database file of a stopped server then contains all data.
      if (lock) db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
    } catch {
      // No data is lost without the checkpoint.
    }
    disk.close()
    db.close()
    lock?.close()
  }
}

/**
 * Runs a query and returns its first row, or undefined. Replaces the statement's own `get`, which keeps failing after it has
 * once failed at a constraint (libsql 0.5.29).
 */
export function readFirstRow<T>(statement: Database.Statement, ...values: readonly unknown[]): T | undefined {
  return (statement.all(...values) as T[])[0]
}
