import { sleep } from './sleep.ts'

const WINDOW_MS = 60_000

/**
 * Keeps requests within the rate limit of a key, as the headers `X-RateLimit-*` of the responses describe it. The first
 * request is sent alone, because the limit is unknown before its response.
 */
export class Pace {
  #limit = 1
  #left = 1
  /** End of the window by the clock of this machine, in milliseconds since 1970; 0 before the first response. */
  #endsAt = 0
  #reset = 0
  #inFlight = 0
  #waiting: (() => void)[] = []

  /** Waits until a request may be sent. Every call must be followed by `release`. */
  async acquire(signal?: AbortSignal): Promise<void> {
    while (this.#left <= 0) {
      if (this.#endsAt === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      else if (Date.now() < this.#endsAt) await sleep(this.#endsAt - Date.now(), signal)
      else this.#startWindow()
      signal?.throwIfAborted()
    }
    this.#left--
    this.#inFlight++
  }

  /** Ends a request. @param headers those of its response, if there is one */
  release(headers?: Headers): void {
    this.#inFlight--
    if (headers) this.#learn(headers)
    else if (this.#endsAt === 0) this.#left++
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Begins the next window before a response has described it. */
  #startWindow(): void {
    this.#left = Math.max(1, this.#limit - this.#inFlight)
    this.#endsAt = Date.now() + WINDOW_MS
  }

  #learn(headers: Headers): void {
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) =>
      Number(headers.get(`x-ratelimit-${name}`) ?? Number.NaN),
    )
    if (!Number.isFinite(limit + remaining + reset) || reset < this.#reset) {
      if (this.#endsAt === 0) this.#left++
      return
    }
    // Requests in flight may not be counted yet.
    const left = remaining - this.#inFlight
    this.#left = reset === this.#reset ? Math.min(this.#left, left) : left
    this.#limit = limit
    this.#reset = reset
    // The window ends by the clock of the service, which may differ from ours.
    const now = Date.parse(headers.get('date') ?? '')
    this.#endsAt = Date.now() + reset * 1000 - (Number.isNaN(now) ? Date.now() : now)
  }
}
