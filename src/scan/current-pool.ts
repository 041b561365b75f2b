import type { MatchPool } from '../detector/worker-pool.ts'

interface UsedPool {
  readonly pool: MatchPool
  /** Scans that started with this pool and have not ended. */
  scans: number
}

/**
 * The workers of the ruleset in use. `replace` switches to other workers as a whole: a scan uses the pool with which it started until
 * it ends, and a replaced pool is closed after its last scan.
 */
export class CurrentPool {
  #current: UsedPool
  readonly #replaced = new Set<UsedPool>()
  #closed = false

  constructor(pool: MatchPool) {
    this.#current = { pool, scans: 0 }
  }

  get pool(): MatchPool {
    return this.#current.pool
  }

  /** Pages that wait for a worker, and pages that are being matched, by this and by replaced rulesets. */
  get queue(): { readonly waiting: number; readonly running: number } {
    const pools = [this.#current, ...this.#replaced].map(({ pool }) => pool)
    const sum = (count: (pool: MatchPool) => number): number => pools.reduce((total, pool) => total + count(pool), 0)
    return { waiting: sum(({ waiting }) => waiting), running: sum(({ running }) => running) }
  }

  /** Runs a scan with the current pool, which stays open until the scan has ended. */
  async use<T>(scan: (pool: MatchPool) => Promise<T>): Promise<T> {
    const used = this.#current
    used.scans++
    try {
      return await scan(used.pool)
    } finally {
      used.scans--
      this.#closeUnused(used)
    }
  }

  /** Switches to a pool, which should be ready. */
  replace(pool: MatchPool): void {
    if (this.#closed) return void pool.close()
    const used = this.#current
    this.#current = { pool, scans: 0 }
    this.#replaced.add(used)
    this.#closeUnused(used)
  }

  #closeUnused(used: UsedPool): void {
    if (used.scans === 0 && this.#replaced.delete(used)) void used.pool.close()
  }

  /** Closes all pools. Running scans fail. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#current, ...this.#replaced].map(({ pool }) => pool.close()))
  }
}
