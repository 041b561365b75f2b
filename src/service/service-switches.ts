import type { FastifyBaseLogger } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Store, Switches } from '../store/types.ts'

/** Polling every second makes a switch take effect on every node within 5 s, even if the store responds slowly. */
const POLL_MS = 1000

/** The operator's switches, cached in memory so that a request needs no lookup. */
export class ServiceSwitches {
  readonly #store: Store
  readonly #log: FastifyBaseLogger
  #current: Switches = { maintenance: false, apiOff: false }
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: Store, log: FastifyBaseLogger) {
    this.#store = store
    this.#log = log
  }

  /** The switches as last read from the store. */
  get current(): Switches {
    return this.#current
  }

  /** Reads the switches, then again every second. While the store is unavailable, the last known switches apply. */
  async open(): Promise<void> {
    await this.#read()
  }

  /** @throws ApiError `maintenance` or `unavailable` */
  check(): void {
    if (this.#current.maintenance) throw new ApiError('maintenance', { reason: 'maintenance' })
    if (this.#current.apiOff)
      throw new ApiError('unavailable', { reason: 'api_off', sentence: 'The API is currently switched off.' })
  }

  async #read(): Promise<void> {
    try {
      const former = this.#current
      this.#current = await this.#store.settings.switches()
      this.#logChange(former, this.#current)
    } catch {
      // The store's circuit breaker and metrics report the error.
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#read(), POLL_MS).unref()
  }

  #logChange(former: Switches, now: Switches): void {
    const { maintenance, apiOff } = now
    if (former.maintenance === maintenance && former.apiOff === apiOff) return
    const meaning = maintenance || apiOff ? 'API requests get 503' : 'API requests are served again'
    this.#log.warn({ maintenance, apiOff }, `an operator changed the switches: ${meaning}`)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
