import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Brings to the disk what was committed. SQLite does so itself with `synchronous = FULL`, and this thread stands still
 * meanwhile (0.1 to 0.6 ms a commit): with NORMAL it leaves the log file (WAL) to the system, and here another thread of
 * Node's waits for the disk, once for all commits that come meanwhile.
 */
export class SqliteDisk {
  readonly #file: string
  #descriptor: number | undefined
  #waiting: Waiting[] = []
  #isBusy = false

  /** @param file the log file; it is there as long as a connection is open, and SQLite holds no locks on it */
  constructor(file: string) {
    this.#file = file
  }

  /** Settles when all that was committed so far is on the disk. */
  later(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (!this.#isBusy) this.#next()
    })
  }

  /** Waits for the disk, and lets everybody wait. */
  now(): void {
    fdatasyncSync(this.#open())
  }

  /** Nothing is under way any more. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #next(): void {
    const batch = this.#waiting
    this.#isBusy = batch.length > 0
    if (!this.#isBusy) return
    this.#waiting = []
    const settle = (error: unknown): void => {
      for (const { resolve, reject } of batch) error ? reject(error) : resolve()
      this.#next()
    }
    try {
      fdatasync(this.#open(), settle)
    } catch (error) {
      settle(error)
    }
  }

  #open(): number {
    this.#descriptor ??= openSync(this.#file, 'r+')
    return this.#descriptor
  }
}
