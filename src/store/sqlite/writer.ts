import type Database from 'libsql'
import type { SqliteDisk } from './disk.ts'
import { isStorageFailure, toStoreError } from './errors.ts'

interface PendingWork {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Maximum number of turns for which a commit waits for more work: less than a millisecond, or a few under load. */
const MAX_EXTRA_TURNS = 5

/** Runs writes in transactions. */
export class SqliteWriter {
  readonly #db: Database.Database
  readonly #disk: SqliteDisk | null
  #waiting: PendingWork[] = []
  #arrivals = 0
  /** The number of commits that are not on the disk yet: one, or two while the store closes. */
  #unsynced = 0

  /** @param disk null if SQLite itself syncs every commit */
  constructor(db: Database.Database, disk: SqliteDisk | null = null) {
    this.#db = db
    this.#disk = disk
  }

  /** Runs `work` immediately in a transaction of its own, which is on the disk when this returns. */
  runNow<T>(work: () => T): T {
    const value = this.#transact(work)
    this.#disk?.syncNow()
    return value
  }

  /**
   * Runs `work` in a transaction of its own and settles when it is on the disk. Does not wait for a lock of another process,
   * which would block the event loop, because probes are repeated anyway.
   */
  async probe(work: () => void): Promise<void> {
    try {
      this.#withoutWaiting(() => this.#transact(work))
      await this.#disk?.sync()
    } catch (error) {
      throw toStoreError(error)
    }
  }

  #withoutWaiting(work: () => void): void {
    const { timeout } = this.#db.prepare('PRAGMA busy_timeout').get() as { readonly timeout: number }
    this.#db.exec('PRAGMA busy_timeout = 0')
    try {
      work()
    } finally {
      this.#db.exec(`PRAGMA busy_timeout = ${timeout}`)
    }
  }

  #transact<T>(work: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE')
    try {
      const value = work()
      this.#db.exec('COMMIT')
      return value
    } catch (error) {
      // Some errors, such as a full disk, have already ended the transaction.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  /**
   * Runs `work` in one transaction with all other work of the same turns of the event loop, so that they share one sync of the
   * disk. Settles when the transaction is on the disk. Work that fails does not affect other work.
   */
  enqueue<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ work, resolve, reject }) === 1 && this.#unsynced === 0) this.#flushSoon()
      this.#arrivals++
    })
  }

  /** Reports that work already in the queue has grown. */
  noteArrival(): void {
    this.#arrivals++
  }

  #flushSoon(): void {
    setImmediate(() => this.#flushWhenQuiet(0, MAX_EXTRA_TURNS))
  }

  /** A commit costs as much as several requests, so it waits until a turn of the event loop adds no more work. */
  #flushWhenQuiet(known: number, turnsLeft: number): void {
    const arrivals = this.#arrivals
    if (arrivals === known || turnsLeft === 0) void this.#flush()
    else setImmediate(() => this.#flushWhenQuiet(arrivals, turnsLeft - 1))
  }

  /** Commits the queue and waits until it is on the disk. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#disk?.sync()
  }

  /** Commits the queue. Never rejects: errors reject the promises of the queued work. */
  async #flush(): Promise<void> {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    this.#unsynced++
    try {
      const answers = this.#transact(() => waiting.map((one) => this.#run(one)))
      await this.#disk?.sync()
      for (const answer of answers) answer()
    } catch (error) {
      for (const { reject } of waiting) reject(toStoreError(error))
    }
    this.#unsynced--
    if (this.#waiting.length > 0) this.#flushSoon()
  }

  /** @returns a function that settles the work's promise, to be called after the commit */
  #run({ work, resolve, reject }: PendingWork): () => void {
    try {
      const value = work() as never
      return () => resolve(value)
    } catch (error) {
      // The transaction is rolled back: a month must not be charged without its day.
      if (!this.#db.inTransaction || isStorageFailure(error)) throw error
      return () => reject(toStoreError(error))
    }
  }
}
