import type { Logger } from './logger.ts'

/** Maximum time that closing waits, in milliseconds. */
const CLOSE_MS = 5000

/**
 * Work that a response does not wait for. Sending an e-mail, or storing its token, takes longer if an address has an
 * account, and waiting for it would reveal that.
 */
export class BackgroundWork {
  readonly #pending = new Set<Promise<void>>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /** @param what completes the sentence "… failed" of the log */
  start(what: string, work: () => Promise<unknown>): void {
    const pending = work().then(
      () => {},
      (error: unknown) => this.#log.error({ why: (error as Error).message }, `${what} failed`),
    )
    this.#pending.add(pending)
    void pending.finally(() => this.#pending.delete(pending))
  }

  /** Waits until all work has ended, for a few seconds at most. */
  async end(): Promise<void> {
    const isLate = new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())
    await Promise.race([Promise.all(this.#pending), isLate])
  }
}
