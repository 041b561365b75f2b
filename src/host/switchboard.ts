import { ApiError } from '../errors.ts'
import type { Store, Switches } from '../store/types.ts'

/** So that a switch works everywhere within 5 s, a store that answers late included. */
const POLL_MS = 1000

/** The operator's switches, held in memory: a request costs no look-up. */
export class Switchboard {
  readonly #store: Store
  #switches: Switches = { maintenance: false, apiOff: false }
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: Store) {
    this.#store = store
  }

  /** Reads them once, then every second. While the store is away the last known ones stand. */
  async open(): Promise<void> {
    await this.#read()
  }

  /** @throws ApiError `maintenance` or `unavailable` */
  check(): void {
    if (this.#switches.maintenance) throw new ApiError('maintenance')
    if (this.#switches.apiOff) throw new ApiError('unavailable', { sentence: 'Access to the API is switched off.' })
  }

  async #read(): Promise<void> {
    try {
      this.#switches = await this.#store.switches()
    } catch {
      // The store's own breaker and metrics tell of it.
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#read(), POLL_MS).unref()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
