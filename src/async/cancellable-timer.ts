/** An abort signal with a timer that can be restarted and stopped. */
export class CancellableTimer {
  readonly #controller = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #afterPoll: NodeJS.Immediate | undefined

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /**
   * Restarts the timer. The check runs one poll phase after the timer has expired: a message that already arrived while the
   * event loop was blocked is handled first.
   * @param findReason returns the reason to abort with, or undefined to continue
   */
  start(ms: number, findReason: () => unknown): void {
    this.stop()
    this.#timer = setTimeout(() => {
      this.#afterPoll = setImmediate(() => {
        const reason = findReason()
        if (reason !== undefined) this.abort(reason)
      })
    }, ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#afterPoll)
  }
}
