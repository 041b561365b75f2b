import type { FastifyBaseLogger } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Store, Switches } from '../store/types.ts'

/** So that a switch works everywhere within 5 s, a store that answers late included. */
const POLL_MS = 1000

/** The operator's switches, held in memory: a request costs no lookup. */
export class Switchboard {
  readonly #store: Store
  readonly #log: FastifyBaseLogger
  #switches: Switches = { maintenance: false, apiOff: false }
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(store: Store, log: FastifyBaseLogger) {
    this.#store = store
    this.#log = log
  }

  /** As they were last read. */
  get switches(): Switches {
    return this.#switches
  }

  /** Reads them once, then every second. While the store is away the last known ones apply. */
  async open(): Promise<void> {
    await this.#read()
  }

  /** @throws ApiError `maintenance` or `unavailable` */
  check(): void {
    if (this.#switches.maintenance) throw new ApiError('maintenance', { reason: 'maintenance' })
    if (this.#switches.apiOff)
      throw new ApiError('unavailable', { reason: 'api_off', sentence: 'Access to the API is switched off.' })
  }

  async #read(): Promise<void> {
    try {
      const former = this.#switches
      this.#switches = await this.#store.settings.switches()
      this.#logChange(former, this.#switches)
    } catch {
      // The store's own breaker and metrics report it.
    }
    if (!this.#closed) this.#timer = setTimeout(() => void this.#read(), POLL_MS).unref()
  }

  #logChange(former: Switches, now: Switches): void {
    const { maintenance, apiOff } = now
    if (former.maintenance === maintenance && former.apiOff === apiOff) return
    const meaning = maintenance || apiOff ? 'requests get 503' : 'requests are served again'
    this.#log.warn({ maintenance, apiOff }, `an operator changed the switches: ${meaning}`)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }
}
