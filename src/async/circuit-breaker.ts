/** Milliseconds between a failure and the next probe. */
const PROBE_DELAY_MS = 1000

export interface BreakerOptions {
  /** Checks whether the server has recovered and calls `trip` or `reset`. Never rejects. */
  readonly probe: () => Promise<void>
  /** Called once for each change of state, with the reason when the breaker opens. */
  readonly onChange?: (isUp: boolean, why?: unknown) => void
}

/**
 * A circuit breaker: open from a failure until a probe reaches the server again. Probes run on a timer in the background,
 * so that no request waits for them and a system clock that steps back does not delay them.
 */
export class Breaker {
  readonly #options: BreakerOptions
  #isOpen = false
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  /** Whether calls have to skip the server. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Opens the breaker after a failure and schedules the next probe. */
  trip(why: unknown): void {
    this.#setOpen(true, why)
    clearTimeout(this.#timer)
    if (!this.#hasEnded) this.#timer = setTimeout(() => void this.#options.probe(), PROBE_DELAY_MS).unref()
  }

  /** Closes the breaker after a response. */
  reset(): void {
    this.#setOpen(false)
  }

  /** Stops the probes. */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #setOpen(isOpen: boolean, why?: unknown): void {
    if (this.#isOpen === isOpen) return
    this.#isOpen = isOpen
    this.#options.onChange?.(!isOpen, why)
  }
}
