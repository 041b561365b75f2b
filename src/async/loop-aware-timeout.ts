/** Between two looks whether somebody has waited long enough. */
const TICK_MS = 10
/** A look that comes late counts no more than this: while this thread was busy, it could not hear an answer either. */
const MOST_MS = 2 * TICK_MS

interface Waiting {
  readonly end: number
  readonly giveUp: () => void
}

/** Waits by a clock that stands still while this thread is busy: a burst of requests is no silence of a server. */
class Patience {
  readonly #waiting = new Set<Waiting>()
  #clock = 0
  #last = 0
  #timer: NodeJS.Timeout | undefined

  /** Milliseconds in which an answer would have been heard. */
  get now(): number {
    return this.#timer === undefined ? this.#clock : this.#clock + this.#sinceLast()
  }

  /**
   * Settles as `answer` does, or rejects when time is up. Who comes second is not heard.
   * @param late what to reject with
   */
  inTime<T>(answer: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
    return new Promise((resolve, reject) => {
      const one = { end: this.#begin() + timeoutMs, giveUp: () => reject(late()) }
      this.#waiting.add(one)
      answer.then(resolve, reject).finally(() => this.#waiting.delete(one))
    })
  }

  /** Waits for an answer as long as it takes. @returns the milliseconds in which it would have been heard */
  async measure(answer: Promise<unknown>): Promise<number> {
    const start = this.#begin()
    const one = { end: Number.POSITIVE_INFINITY, giveUp: () => {} }
    this.#waiting.add(one)
    try {
      await answer
    } finally {
      this.#waiting.delete(one)
    }
    return this.now - start
  }

  #begin(): number {
    if (this.#timer === undefined) {
      this.#last = performance.now()
      this.#timer = setInterval(() => this.#look(), TICK_MS).unref()
    }
    return this.now
  }

  #look(): void {
    this.#clock += this.#sinceLast()
    this.#last = performance.now()
    for (const one of this.#waiting) {
      if (one.end > this.#clock) continue
      this.#waiting.delete(one)
      one.giveUp()
    }
    if (this.#waiting.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sinceLast(): number {
    return Math.min(performance.now() - this.#last, MOST_MS)
  }
}

/** The clock of this thread. */
export const patience = new Patience()
