import type Database from 'libsql'
import type { SqliteDisk } from './disk.ts'
import { storeFault } from './errors.ts'

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Turns that work waits for more at most: fractions of a millisecond, but of a busy server some milliseconds. */
const MANY_TURNS = 5

/** Writes in transactions. */
export class SqliteWriter {
  readonly #db: Database.Database
  readonly #disk: SqliteDisk | null
  #waiting: Waiting[] = []
  #came = 0
  /** Commits that are not on the disk yet: one, or two when the store ends. */
  #underWay = 0

  /** @param disk null where SQLite itself waits for the disk */
  constructor(db: Database.Database, disk: SqliteDisk | null = null) {
    this.#db = db
    this.#disk = disk
  }

  /** Runs `work` in a transaction of its own, at once; it is on the disk then. */
  now<T>(work: () => T): T {
    const value = this.#transact(work)
    this.#disk?.now()
    return value
  }

  /**
   * Runs `work` in a transaction of its own and settles when it is on the disk. Does not wait for the lock of another
   * process: the event loop would be blocked meanwhile, and a probe is repeated anyway.
   */
  async probe(work: () => void): Promise<void> {
    try {
      this.#withoutWaiting(() => this.#transact(work))
      await this.#disk?.later()
    } catch (error) {
      throw storeFault(error)
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
      // Some faults, a full disk for one, have ended the transaction already.
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }

  /**
   * Runs `work` in one transaction with all that comes in the same turns of the event loop: one wait for the disk instead
   * of many. Settles when it is on the disk; work that fails leaves that of others alone.
   */
  later<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ work, resolve, reject }) === 1 && this.#underWay === 0) this.#flushSoon()
      this.#came++
    })
  }

  /** Work that waits has become more. */
  noteMore(): void {
    this.#came++
  }

  #flushSoon(): void {
    setImmediate(() => this.#flushWhenQuiet(0, MANY_TURNS))
  }

  /** A commit costs as much as some requests do: it waits for a turn that brings nothing more, and for the one before. */
  #flushWhenQuiet(known: number, turnsLeft: number): void {
    const came = this.#came
    if (came === known || turnsLeft === 0) void this.#flush()
    else setImmediate(() => this.#flushWhenQuiet(came, turnsLeft - 1))
  }

  /** Writes what waits, and waits until it is on the disk. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#disk?.later()
  }

  /** Never rejects: whoever waits is told. */
  async #flush(): Promise<void> {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    this.#underWay++
    try {
      const answers = this.#transact(() => waiting.map((one) => this.#run(one)))
      await this.#disk?.later()
      for (const answer of answers) answer()
    } catch (error) {
      for (const { reject } of waiting) reject(storeFault(error))
    }
    this.#underWay--
    if (this.#waiting.length > 0) this.#flushSoon()
  }

  /** @returns what to call once the transaction is committed */
  #run({ work, resolve, reject }: Waiting): () => void {
    try {
      const value = work() as never
      return () => resolve(value)
    } catch (error) {
      if (!this.#db.inTransaction) throw error
      return () => reject(storeFault(error))
    }
  }
}
