/** Milliseconds between two checks for expired timeouts. */
const TICK_MS = 10
/** Maximum time that one tick adds to the clock. A tick that is later was delayed by a blocked event loop. */
const MAX_TICK_MS = 2 * TICK_MS

interface PendingTimeout {
  readonly end: number
  readonly expire: () => void
}

/**
 * A timeout that does not count time during which the event loop was blocked: a server is not considered silent while this
 * process could not have read its response.
 */
export class LoopAwareTimeout {
  readonly #pending = new Set<PendingTimeout>()
  #clock = 0
  #lastTick = 0
  #timer: NodeJS.Timeout | undefined

  /** A clock in milliseconds that stops while the event loop is blocked, or while nothing uses it. */
  get now(): number {
    return this.#timer === undefined ? this.#clock : this.#clock + this.#sinceLastTick()
  }

  /**
   * Settles like `promise`, or rejects after `timeoutMs`. The result of a promise that settles later is ignored.
   * @param buildError builds the error of the timeout
   */
  limit<T>(promise: Promise<T>, timeoutMs: number, buildError: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const timeout = { end: this.#start() + timeoutMs, expire: () => reject(buildError()) }
      this.#pending.add(timeout)
      promise.then(resolve, reject).finally(() => this.#pending.delete(timeout))
    })
  }

  /**
   * Waits for a promise without a limit.
   * @returns the milliseconds it took, without those in which the event loop was blocked
   */
  async measure(promise: Promise<unknown>): Promise<number> {
    const start = this.#start()
    const timeout = { end: Number.POSITIVE_INFINITY, expire: () => {} }
    this.#pending.add(timeout)
    try {
      await promise
    } finally {
      this.#pending.delete(timeout)
    }
    return this.now - start
  }

  #start(): number {
    if (this.#timer === undefined) {
      this.#lastTick = performance.now()
      this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
    }
    return this.now
  }

  #tick(): void {
    this.#clock += this.#sinceLastTick()
    this.#lastTick = performance.now()
    for (const timeout of this.#pending) {
      if (timeout.end > this.#clock) continue
      this.#pending.delete(timeout)
      timeout.expire()
    }
    if (this.#pending.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sinceLastTick(): number {
    return Math.min(performance.now() - this.#lastTick, MAX_TICK_MS)
  }
}

/** The timeouts of this thread, which share one timer. */
export const loopAwareTimeout = new LoopAwareTimeout()
