import { Breaker, type BreakerOptions } from '../async/circuit-breaker.ts'
import { loopAwareTimeout } from '../async/loop-aware-timeout.ts'
import type { BatchStore } from './batch-types.ts'
import {
  type AccountStore,
  type AuditStore,
  type AuthDatabase,
  type KeyStore,
  type SettingStore,
  type Store,
  StoreError,
  type UsageStore,
} from './types.ts'
import { wrapMethods } from './wrap-methods.ts'

type Method =
  | keyof KeyStore
  | keyof UsageStore
  | keyof AccountStore
  | keyof AuditStore
  | keyof BatchStore
  | keyof SettingStore
  | 'ping'
  | 'readClock'

/** Values of the metric label `operation` that differ from the method's name: the metric keeps the name of earlier versions. */
const METRIC_OPERATIONS = { putIfAbsent: 'keepOnce' } as const
type Renamed = keyof typeof METRIC_OPERATIONS
type StoreOperation = Exclude<Method, Renamed> | (typeof METRIC_OPERATIONS)[Renamed]

export interface GuardOptions {
  /**
   * Milliseconds that a call may take. Null for a store in this process: its calls have no timeout, and they are attempted even
   * after an error, because what still works (reading on a full disk) costs nothing.
   */
  readonly timeoutMs: number | null
  /** Receives every call, rejected ones included: its metric label, its duration, and whether it succeeded. */
  readonly observe?: (operation: StoreOperation, seconds: number, ok: boolean) => void
  readonly onChange?: BreakerOptions['onChange']
}

/** A store that answers in time or throws a StoreError. */
export interface GuardedStore extends Store {
  /** False from the first StoreError until a probe succeeds in writing to the store. Probes run once a second. */
  readonly isUp: boolean
  /** Reports a failure of `authDatabase`, whose queries do not go through the guard: it counts like one of a call. */
  reportFailure(error: StoreError): void
}

/**
 * Adds a timeout, a circuit breaker and metrics to every call of a store. After a StoreError, timeouts included, calls fail
 * immediately until a ping, which writes, succeeds. A call that timed out may have taken effect.
 */
export function guardStore(store: Store, options: GuardOptions): GuardedStore {
  return new Guard(store, options)
}

class Guard implements GuardedStore {
  readonly keys: KeyStore
  readonly usage: UsageStore
  readonly accounts: AccountStore
  readonly audit: AuditStore
  readonly batches: BatchStore
  readonly settings: SettingStore
  readonly authDatabase: AuthDatabase
  readonly #store: Store
  readonly #timeoutMs: number | null
  readonly #observe: GuardOptions['observe']
  readonly #breaker: Breaker

  constructor(store: Store, { timeoutMs, observe, onChange }: GuardOptions) {
    this.#store = store
    this.#timeoutMs = timeoutMs
    this.#observe = observe
    this.#breaker = new Breaker({ probe: () => this.#probe(), onChange })
    const call = <T>(method: Method, run: () => Promise<T>): Promise<T> => this.#call(method, run)
    this.keys = wrapMethods(() => store.keys, call)
    this.usage = wrapMethods(() => store.usage, call)
    this.accounts = wrapMethods(() => store.accounts, call)
    this.audit = wrapMethods(() => store.audit, call)
    this.batches = wrapMethods(() => store.batches, call)
    this.settings = wrapMethods(() => store.settings, call)
    this.authDatabase = store.authDatabase
  }

  get isUp(): boolean {
    return !this.#breaker.isOpen
  }

  reportFailure(error: StoreError): void {
    // While the breaker is open its probe is pending, which another trip would delay.
    if (!this.#isClosedLocally && !this.#breaker.isOpen) this.#breaker.trip(error)
  }

  ping(): Promise<void> {
    return this.#call('ping', () => this.#store.ping())
  }

  readClock(): Promise<Date | null> {
    return this.#call('readClock', () => this.#store.readClock())
  }

  /** Closes the store without the guard: a store that is down has to be closed too. */
  close(): Promise<void> {
    this.#breaker.end()
    return this.#store.close()
  }

  async #call<T>(method: Method, run: () => Promise<T>): Promise<T> {
    const start = performance.now()
    let ok = false
    try {
      const value = await this.#guard(run)
      ok = true
      return value
    } finally {
      const operation = method === 'putIfAbsent' ? METRIC_OPERATIONS[method] : method
      this.#observe?.(operation, (performance.now() - start) / 1000, ok)
    }
  }

  async #guard<T>(run: () => Promise<T>): Promise<T> {
    if (this.#timeoutMs !== null && this.#breaker.isOpen) throw new StoreError('the store is down')
    try {
      return await this.#limit(run())
    } catch (error) {
      // An invalid request throws another error, which does not concern the state of the store.
      if (error instanceof StoreError && !this.#isClosedLocally) this.#breaker.trip(error)
      throw error
    }
  }

  /** Whether a store of this process was closed. It then rejects calls, which is not a failure of the store. */
  get #isClosedLocally(): boolean {
    return this.#timeoutMs === null && this.#breaker.hasEnded
  }

  #limit<T>(promise: Promise<T>): Promise<T> {
    const ms = this.#timeoutMs
    if (ms === null) return promise
    return loopAwareTimeout.limit(promise, ms, () => new StoreError(`no answer within ${ms} ms`))
  }

  async #probe(): Promise<void> {
    try {
      await this.#limit(this.#store.ping())
      this.#breaker.reset()
    } catch (error) {
      this.#breaker.trip(error)
    }
  }
}
