import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

interface PendingSync {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * Syncs committed data to the disk. With `synchronous = FULL`, SQLite would do so itself and block the event loop (0.1 to
 * 0.6 ms a commit). With NORMAL it does not sync the log file (WAL); this class does, in a thread of Node's pool, once for all
 * commits that arrive in the meantime.
 */
export class SqliteDisk {
  readonly #file: string
  #descriptor: number | undefined
  #waiting: PendingSync[] = []
  #isBusy = false

  /** @param file the log file, which exists while a connection is open. SQLite has no locks on it. */
  constructor(file: string) {
    this.#file = file
  }

  /** Settles when all previous commits are on the disk. */
  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      if (!this.#isBusy) this.#syncBatch()
    })
  }

  /** Waits for the disk and blocks the event loop meanwhile. */
  syncNow(): void {
    fdatasyncSync(this.#open())
  }

  /** Call only when no sync is pending. */
  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #syncBatch(): void {
    const batch = this.#waiting
    this.#isBusy = batch.length > 0
    if (!this.#isBusy) return
    this.#waiting = []
    const settle = (error: unknown): void => {
      for (const { resolve, reject } of batch) error ? reject(error) : resolve()
      this.#syncBatch()
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
