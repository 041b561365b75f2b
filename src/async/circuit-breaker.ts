/** Milliseconds between a failure and asking again. */
const REST_MS = 1000

export interface BreakerOptions {
  /** Asks whether the server is back, and says so: ends in `trip` or `reset`. Never rejects. */
  readonly probe: () => Promise<void>
  /** Called once for each change of state: with the reason when the breaker opens, and when it closes. */
  readonly onChange?: (isUp: boolean, why?: unknown) => void
}

/**
 * A circuit breaker: open from a failure until the server answers again. By a timer, not by the clock of the machine, which
 * may step back; and on the side, so that no caller does the trying.
 */
export class Breaker {
  readonly #options: BreakerOptions
  #isOpen = false
  #hasEnded = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  /** Whether callers are to leave the server alone. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The server failed: it is left alone for a second, then probed. */
  trip(why: unknown): void {
    this.#turn(true, why)
    clearTimeout(this.#timer)
    if (!this.#hasEnded) this.#timer = setTimeout(() => void this.#options.probe(), REST_MS).unref()
  }

  /** The server answered. */
  reset(): void {
    this.#turn(false)
  }

  /** It is probed no more. */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #turn(isOpen: boolean, why?: unknown): void {
    if (this.#isOpen === isOpen) return
    this.#isOpen = isOpen
    this.#options.onChange?.(!isOpen, why)
  }
}
