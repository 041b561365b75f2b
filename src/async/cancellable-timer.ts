/** Stops one thing that is under way: at once, or by a clock that can be set anew. */
export class Stop {
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #late: NodeJS.Immediate | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  now(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Sets the clock. An answer that lies there already, because this thread was busy, still comes first. @param why undefined to go on */
  after(ms: number, why: () => unknown): void {
    this.never()
    this.#timer = setTimeout(() => {
      this.#late = setImmediate(() => {
        const reason = why()
        if (reason !== undefined) this.now(reason)
      })
    }, ms)
  }

  /** Stops the clock. */
  never(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#late)
  }
}
