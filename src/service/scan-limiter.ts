import { Deadline } from '../async/deadline.ts'
import { KeyedSemaphore } from '../async/keyed-semaphore.ts'
import { ApiError, TOO_MANY_SCANS } from '../errors.ts'

/** Maximum number of concurrent scans of one host, including a host to which scans are redirected. */
export const MAX_SCANS_PER_HOST = 2

interface ScanLimits {
  /** Concurrent scans in total. */
  readonly running: number
  /** Concurrent scans of one host. */
  readonly perHost: number
  /** Scans that may queue. */
  readonly waiting: number
  /** Milliseconds that a scan may spend in the queue. */
  readonly waitMs: number
}

/** Limits concurrent scans, in total and per host. Excess scans queue briefly, then fail with `unavailable`. */
export class ScanLimiter {
  readonly #limits: ScanLimits
  readonly #slots: KeyedSemaphore

  constructor(limits: Pick<ScanLimits, 'running'> & Partial<ScanLimits>) {
    this.#limits = { perHost: MAX_SCANS_PER_HOST, waiting: 128, waitMs: 2000, ...limits }
    this.#slots = new KeyedSemaphore({ total: this.#limits.running, perKey: this.#limits.perHost })
  }

  get waiting(): number {
    return this.#slots.waiting
  }

  get running(): number {
    return this.#slots.running
  }

  /**
   * Runs a scan as soon as there is a slot for its host.
   * @throws ApiError `unavailable` when the queue is full or the scan has queued too long
   */
  async run<T>(host: string, scan: () => Promise<T>): Promise<T> {
    const release = await this.#acquire(host)
    try {
      return await scan()
    } finally {
      release()
    }
  }

  async #acquire(host: string): Promise<() => void> {
    if (!this.#slots.hasRoom(host) && this.waiting >= this.#limits.waiting) throw createError('queue_full')
    const deadline = new Deadline({ ms: this.#limits.waitMs, createReason: () => createError('queue_timeout') })
    try {
      return await this.#slots.acquire(host, deadline.signal)
    } finally {
      deadline.clear()
    }
  }
}

function createError(reason: 'queue_full' | 'queue_timeout'): ApiError {
  return new ApiError('unavailable', { reason, sentence: TOO_MANY_SCANS })
}
