import type Database from 'libsql'
import { storeFault } from './sqlite-fault.ts'

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
  #waiting: Waiting[] = []
  #came = 0

  constructor(db: Database.Database) {
    this.#db = db
  }

  /** Runs `work` in a transaction of its own, at once. */
  now<T>(work: () => T): T {
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
   * of many. Settles after the commit; work that fails leaves that of others alone.
   */
  later<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ work, resolve, reject }) === 1) setImmediate(() => this.#flushWhenQuiet(0, MANY_TURNS))
      this.#came++
    })
  }

  /** Work that waits has become more. */
  noteMore(): void {
    this.#came++
  }

  /** A commit costs as much as some requests do: it waits for a turn that brings nothing more. */
  #flushWhenQuiet(known: number, turnsLeft: number): void {
    const came = this.#came
    if (came === known || turnsLeft === 0) this.flush()
    else setImmediate(() => this.#flushWhenQuiet(came, turnsLeft - 1))
  }

  /** Writes at once what waits for the end of the turn. */
  flush(): void {
    const waiting = this.#waiting
    if (waiting.length === 0) return
    this.#waiting = []
    try {
      const answers = this.now(() => waiting.map((one) => this.#run(one)))
      for (const answer of answers) answer()
    } catch (error) {
      for (const { reject } of waiting) reject(storeFault(error))
    }
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
