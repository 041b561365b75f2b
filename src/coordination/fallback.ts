import { nanoid } from 'nanoid'
import { Breaker, type BreakerOptions } from '../async/circuit-breaker.ts'
import { patience } from '../async/loop-aware-timeout.ts'
import type { Boarding, Outcome, SharedState, Take, Taken } from './types.ts'

/** How long a call may wait for Redis. */
const TIMEOUT_MS = 150

interface FallbackOptions {
  readonly timeoutMs?: number
  /** Told of every call: its name (`try`: whether Redis is back), how long it took, whether Redis answered it. */
  readonly observe?: (operation: Operation, seconds: number, ok: boolean) => void
  readonly onChange?: BreakerOptions['onChange']
}
type Operation = keyof SharedState | 'try'

/**
 * Asks Redis as long as it answers in time, and this process while it does not: then each process counts on its own,
 * nothing is cached, and whoever boards leads. No method but `close` rejects. After a failure Redis is left alone for a
 * second, then tried on the side, so that callers do not wait for it. A call that ran out of time may still happen in Redis.
 * What lands meanwhile is landed there as soon as it is back: others may wait for a flight that it still knows of.
 */
export function withFallback(redis: SharedState, memory: SharedState, options: FallbackOptions = {}): SharedState {
  return new Fallback(redis, memory, options)
}

const AWAY = Symbol('away')

/** How long a landing is remembered: no client waits longer for it. */
const OWED_MS = 20_000
/** Landings that are remembered at most. */
const OWED_MOST = 500

interface Owed {
  readonly since: number
  readonly land: () => Promise<void>
}

class Fallback implements SharedState {
  readonly #redis: SharedState
  readonly #memory: SharedState
  readonly #timeoutMs: number
  readonly #observe: FallbackOptions['observe']
  readonly #breaker: Breaker
  #owed: readonly Owed[] = []

  constructor(redis: SharedState, memory: SharedState, { timeoutMs = TIMEOUT_MS, observe, onChange }: FallbackOptions) {
    this.#redis = redis
    this.#memory = memory
    this.#timeoutMs = timeoutMs
    this.#observe = observe
    this.#breaker = new Breaker({ probe: () => this.#try(), onChange })
    if (!redis.isUp) void this.#try() // Says why, before the first caller asks.
  }

  get isUp(): boolean {
    return this.#redis.isUp && !this.#breaker.isOpen
  }

  async take(take: Take): Promise<Taken> {
    const taken = await this.#ask('take', () => this.#redis.take(take))
    return taken === AWAY ? this.#memory.take({ counter: take.counter, now: take.now, cost: take.cost }) : taken
  }

  async board(entry: string, choice: { readonly fresh: boolean; readonly now: number }): Promise<Boarding> {
    const boarding = await this.#ask('board', () => this.#redis.board(entry, choice))
    return boarding === AWAY ? { role: 'lead', token: nanoid() } : boarding
  }

  async renew(entry: string, token: string): Promise<void> {
    await this.#ask('renew', () => this.#redis.renew(entry, token))
  }

  async outcomeOf(entry: string, token: string): Promise<Outcome | 'gone' | null> {
    const outcome = await this.#ask('outcomeOf', () => this.#redis.outcomeOf(entry, token))
    return outcome === AWAY ? 'gone' : outcome
  }

  async land(entry: string, token: string, end: Parameters<SharedState['land']>[2]): Promise<void> {
    const land = (): Promise<void> => this.#redis.land(entry, token, end)
    if ((await this.#ask('land', land)) === AWAY)
      this.#owed = [...this.#owed, { since: performance.now(), land }].slice(-OWED_MOST)
  }

  async close(): Promise<void> {
    this.#breaker.end()
    await Promise.all([this.#redis.close(), this.#memory.close()])
  }

  async #ask<T>(operation: Operation, call: () => Promise<T>): Promise<T | typeof AWAY> {
    const start = performance.now()
    let answer: T | typeof AWAY = AWAY
    try {
      if (!this.#breaker.isOpen)
        answer = await patience.inTime(call(), this.#timeoutMs, () => new Error('no answer in time'))
    } catch (error) {
      this.#breaker.trip(error)
    }
    this.#observe?.(operation, (performance.now() - start) / 1000, answer !== AWAY)
    return answer
  }

  /**
   * Asks once, for as long as the connection lasts: asking again and again would keep a dead one from being noticed. It
   * writes: a server that is full, or follows another, reads as ever.
   */
  async #try(): Promise<void> {
    const start = performance.now()
    let ok = false
    try {
      ok =
        (await patience.measure(this.#redis.land('', 'probe', { outcome: 'probe', result: null }))) <= this.#timeoutMs
      while (ok && this.#owed.length > 0) await this.#landOwed()
      if (ok) this.#breaker.reset()
      else if (!this.#breaker.hasEnded) void this.#try() // It hung, and may be back, or be slow.
    } catch (error) {
      this.#breaker.trip(error)
    }
    this.#observe?.('try', (performance.now() - start) / 1000, ok)
  }

  async #landOwed(): Promise<void> {
    const owed = this.#owed
    await Promise.all(owed.map(({ since, land }) => performance.now() - since < OWED_MS && land()))
    this.#owed = this.#owed.filter((one) => !owed.includes(one)) // Others may have come meanwhile.
  }
}
