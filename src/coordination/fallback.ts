import { nanoid } from 'nanoid'
import { Breaker, type BreakerOptions } from '../async/circuit-breaker.ts'
import { loopAwareTimeout } from '../async/loop-aware-timeout.ts'
import type { Acquisition, Completion, LimitQuery, LimitResult, Outcome, SharedState } from './types.ts'

/** Milliseconds that a call may wait for Redis. */
const TIMEOUT_MS = 150
/** How long a pending completion is kept, in milliseconds. No client waits longer for a scan. */
const PENDING_COMPLETION_MS = 20_000
const MAX_PENDING_COMPLETIONS = 500

/** Values of the metric label `operation` by call. The metric is public, so they keep the names of earlier versions. */
const METRIC_OPERATIONS = {
  countRequest: 'take',
  acquire: 'board',
  renew: 'renew',
  readOutcome: 'outcomeOf',
  complete: 'land',
  probe: 'try',
} as const
type FallbackOperation = keyof typeof METRIC_OPERATIONS

interface FallbackOptions {
  readonly timeoutMs?: number
  /** Receives every call: its metric label, its duration, and whether Redis answered. `try` is a probe of the connection. */
  readonly observe?: (operation: (typeof METRIC_OPERATIONS)[FallbackOperation], seconds: number, ok: boolean) => void
  readonly onChange?: BreakerOptions['onChange']
}

/**
 * Uses Redis as long as it answers in time, and otherwise the memory of this process: then each process counts for itself,
 * nothing is cached and every acquisition gets the lock. No method except `close` rejects. After a failure, calls skip Redis
 * until a probe in the background succeeds, at most one a second, so that no request waits for it. A call that timed out may
 * still take effect in Redis. Scans that complete during an outage are completed in Redis as soon as it is back, because
 * other nodes may be waiting for them.
 */
export function withFallback(redis: SharedState, memory: SharedState, options: FallbackOptions = {}): SharedState {
  return new Fallback(redis, memory, options)
}

const UNAVAILABLE = Symbol('unavailable')

/** A completion that could not be written to Redis. */
interface PendingCompletion {
  readonly since: number
  readonly write: () => Promise<void>
}

class Fallback implements SharedState {
  readonly #redis: SharedState
  readonly #memory: SharedState
  readonly #timeoutMs: number
  readonly #observe: FallbackOptions['observe']
  readonly #breaker: Breaker
  #pending: readonly PendingCompletion[] = []

  constructor(redis: SharedState, memory: SharedState, { timeoutMs = TIMEOUT_MS, observe, onChange }: FallbackOptions) {
    this.#redis = redis
    this.#memory = memory
    this.#timeoutMs = timeoutMs
    this.#observe = observe
    this.#breaker = new Breaker({ probe: () => this.#probe(), onChange })
    if (!redis.isUp) void this.#probe() // Reports the reason before the first request arrives.
  }

  get isUp(): boolean {
    return this.#redis.isUp && !this.#breaker.isOpen
  }

  async countRequest(query: LimitQuery): Promise<LimitResult> {
    const result = await this.#tryRedis('countRequest', () => this.#redis.countRequest(query))
    if (result !== UNAVAILABLE) return result
    const { entry: _, extras: __, ...count } = query
    return this.#memory.countRequest(count)
  }

  async acquire(entry: string, options: Parameters<SharedState['acquire']>[1]): Promise<Acquisition> {
    const acquisition = await this.#tryRedis('acquire', () => this.#redis.acquire(entry, options))
    return acquisition === UNAVAILABLE ? { role: 'lead', token: nanoid() } : acquisition
  }

  async renew(entry: string, token: string): Promise<void> {
    await this.#tryRedis('renew', () => this.#redis.renew(entry, token))
  }

  async readOutcome(entry: string, token: string): Promise<Outcome | 'gone' | null> {
    const outcome = await this.#tryRedis('readOutcome', () => this.#redis.readOutcome(entry, token))
    return outcome === UNAVAILABLE ? 'gone' : outcome
  }

  async complete(entry: string, token: string, completion: Completion): Promise<void> {
    const write = (): Promise<void> => this.#redis.complete(entry, token, completion)
    if ((await this.#tryRedis('complete', write)) === UNAVAILABLE)
      this.#pending = [...this.#pending, { since: performance.now(), write }].slice(-MAX_PENDING_COMPLETIONS)
  }

  async close(): Promise<void> {
    this.#breaker.end()
    await Promise.all([this.#redis.close(), this.#memory.close()])
  }

  async #tryRedis<T>(operation: FallbackOperation, call: () => Promise<T>): Promise<T | typeof UNAVAILABLE> {
    const start = performance.now()
    let answer: T | typeof UNAVAILABLE = UNAVAILABLE
    try {
      if (!this.#breaker.isOpen)
        answer = await loopAwareTimeout.limit(call(), this.#timeoutMs, () => new Error('no answer in time'))
    } catch (error) {
      this.#breaker.trip(error)
    }
    this.#report(operation, start, answer !== UNAVAILABLE)
    return answer
  }

  #report(operation: FallbackOperation, start: number, ok: boolean): void {
    this.#observe?.(METRIC_OPERATIONS[operation], (performance.now() - start) / 1000, ok)
  }

  /**
   * Sends one call and waits as long as the connection lasts. (Repeated calls would keep the connection active, and the
   * operating system would not notice that it is dead.) The call writes, because a server that is full or has become a
   * replica can still be read.
   */
  async #probe(): Promise<void> {
    const start = performance.now()
    let ok = false
    try {
      const write = this.#redis.complete('', 'probe', { outcome: 'probe', result: null })
      ok = (await loopAwareTimeout.measure(write)) <= this.#timeoutMs
      while (ok && this.#pending.length > 0) await this.#writePending()
      if (ok) this.#breaker.reset()
      else if (!this.#breaker.hasEnded) void this.#probe() // The server hung or is slow. It may have recovered by now.
    } catch (error) {
      this.#breaker.trip(error)
    }
    this.#report('probe', start, ok)
  }

  async #writePending(): Promise<void> {
    const batch = this.#pending
    await Promise.all(batch.map(({ since, write }) => performance.now() - since < PENDING_COMPLETION_MS && write()))
    this.#pending = this.#pending.filter((one) => !batch.includes(one)) // More may have been added meanwhile.
  }
}
