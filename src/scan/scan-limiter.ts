import { ApiError, TOO_MANY_SCANS } from '../errors.ts'

/** Scans of one host that run at once, also of one that redirects lead to. */
export const SCANS_OF_A_HOST = 2

interface Bounds {
  /** Scans at once. */
  readonly running: number
  /** Scans of one host at once. */
  readonly perHost: number
  /** Scans that may wait, … */
  readonly waiting: number
  /** … and how long, in milliseconds. */
  readonly waitMs: number
}

interface Waiting {
  readonly host: string
  readonly admit: () => void
}

/** Lets so many scans run at once, and few of them on one host, however many ask: the others wait briefly, then are told. */
export class Admission {
  readonly #bounds: Bounds
  readonly #waiting = new Set<Waiting>()
  readonly #running = new Map<string, number>()
  #count = 0

  constructor(bounds: Pick<Bounds, 'running'> & Partial<Bounds>) {
    this.#bounds = { perHost: SCANS_OF_A_HOST, waiting: 128, waitMs: 2000, ...bounds }
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get running(): number {
    return this.#count
  }

  /**
   * Runs a scan when there is room.
   * @throws ApiError `unavailable` when there is none in time
   */
  async run<T>(host: string, scan: () => Promise<T>): Promise<T> {
    await this.#enter(host)
    try {
      return await scan()
    } finally {
      this.#leave(host)
    }
  }

  async #enter(host: string): Promise<void> {
    if (this.#hasRoom(host)) {
      this.#begin(host)
      return
    }
    if (this.#waiting.size >= this.#bounds.waiting) throw tooMany('queue_full')
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        host,
        admit: () => {
          clearTimeout(timer)
          this.#waiting.delete(one)
          this.#begin(host)
          resolve()
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.delete(one)
        reject(tooMany('queue_timeout'))
      }, this.#bounds.waitMs)
      this.#waiting.add(one)
    })
  }

  #hasRoom(host: string): boolean {
    return this.#count < this.#bounds.running && (this.#running.get(host) ?? 0) < this.#bounds.perHost
  }

  #begin(host: string): void {
    this.#count++
    this.#running.set(host, (this.#running.get(host) ?? 0) + 1)
  }

  /** Who came first goes first, but for those whose host is busy. */
  #leave(host: string): void {
    this.#count--
    const left = (this.#running.get(host) ?? 1) - 1
    if (left > 0) this.#running.set(host, left)
    else this.#running.delete(host)
    for (const one of this.#waiting) if (this.#hasRoom(one.host)) one.admit()
  }
}

function tooMany(reason: 'queue_full' | 'queue_timeout'): ApiError {
  return new ApiError('unavailable', { reason, sentence: TOO_MANY_SCANS })
}
