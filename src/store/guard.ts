import { Breaker, type BreakerOptions } from '../async/circuit-breaker.ts'
import { loopAwareTimeout } from '../async/loop-aware-timeout.ts'
import type { Key } from '../keys/types.ts'
import { type Charge, type Store, StoreError, type Switches } from './types.ts'

/** How a store is guarded. */
export interface GuardOptions {
  /**
   * Milliseconds that a call may take. Null for a store of this process: its calls have no time limit, and none is rejected
   * while the store reports errors, since what it can still do (reading on a full disk) costs nothing.
   */
  readonly timeoutMs: number | null
  /** Told of every call, refused ones too: the method, how long it took, and whether it succeeded. */
  readonly observe?: (operation: keyof Store, seconds: number, ok: boolean) => void
  readonly onChange?: BreakerOptions['onChange']
}

/** A store that answers in time, or throws a StoreError. */
export interface GuardedStore extends Store {
  /** False from the first StoreError until a probe, once a second and independent of calls, can write to the store. */
  readonly isUp: boolean
}

/**
 * Bounds the time of every call, and breaks the circuit: after a StoreError, a call that timed out included, calls fail at
 * once until a ping, which writes, succeeds. A call that timed out may have been carried out.
 */
export function guardStore(store: Store, options: GuardOptions): GuardedStore {
  return new Guard(store, options)
}

class Guard implements GuardedStore {
  readonly #store: Store
  readonly #timeoutMs: number | null
  readonly #observe: GuardOptions['observe']
  readonly #breaker: Breaker

  constructor(store: Store, { timeoutMs, observe, onChange }: GuardOptions) {
    this.#store = store
    this.#timeoutMs = timeoutMs
    this.#observe = observe
    this.#breaker = new Breaker({ probe: () => this.#try(), onChange })
  }

  get isUp(): boolean {
    return !this.#breaker.isOpen
  }

  get isLocal(): boolean {
    return this.#store.isLocal
  }

  findKey(hash: string): Promise<Key | null> {
    return this.#call('findKey', (store) => store.findKey(hash))
  }

  getKey(id: string): Promise<Key | null> {
    return this.#call('getKey', (store) => store.getKey(id))
  }

  listKeys(): Promise<readonly Key[]> {
    return this.#call('listKeys', (store) => store.listKeys())
  }

  createKey(key: Key): Promise<void> {
    return this.#call('createKey', (store) => store.createKey(key))
  }

  revokeKey(id: string, at: Date): Promise<boolean> {
    return this.#call('revokeKey', (store) => store.revokeKey(id, at))
  }

  rotateKey(id: string, change: Parameters<Store['rotateKey']>[1]): Promise<boolean> {
    return this.#call('rotateKey', (store) => store.rotateKey(id, change))
  }

  setPlan(id: string, plan: string): Promise<boolean> {
    return this.#call('setPlan', (store) => store.setPlan(id, plan))
  }

  usedBy(key: string, month: string): Promise<number> {
    return this.#call('usedBy', (store) => store.usedBy(key, month))
  }

  charge(charge: Charge): Promise<number | null> {
    return this.#call('charge', (store) => store.charge(charge))
  }

  touch(use: Omit<Charge, 'quota'>): Promise<number> {
    return this.#call('touch', (store) => store.touch(use))
  }

  lastUsed(key: string): Promise<Date | null> {
    return this.#call('lastUsed', (store) => store.lastUsed(key))
  }

  switches(): Promise<Switches> {
    return this.#call('switches', (store) => store.switches())
  }

  setSwitches(change: Partial<Switches>): Promise<void> {
    return this.#call('setSwitches', (store) => store.setSwitches(change))
  }

  keepOnce(name: string, value: string): Promise<string> {
    return this.#call('keepOnce', (store) => store.keepOnce(name, value))
  }

  ping(): Promise<void> {
    return this.#call('ping', (store) => store.ping())
  }

  /** Not guarded: a store that is away has to be closed as well. */
  close(): Promise<void> {
    this.#breaker.end()
    return this.#store.close()
  }

  async #call<T>(operation: keyof Store, ask: (store: Store) => Promise<T>): Promise<T> {
    const start = performance.now()
    let ok = false
    try {
      const value = await this.#ask(() => ask(this.#store))
      ok = true
      return value
    } finally {
      this.#observe?.(operation, (performance.now() - start) / 1000, ok)
    }
  }

  async #ask<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#timeoutMs !== null && this.#breaker.isOpen) throw new StoreError('the store is away')
    try {
      return await this.#inTime(ask())
    } catch (error) {
      // A request that was wrong in itself throws another error, and says nothing about the store.
      if (error instanceof StoreError && !this.#isOurEnd) this.#breaker.trip(error)
      throw error
    }
  }

  /** A store of this process that was closed rejects calls; that is no error of the store. */
  get #isOurEnd(): boolean {
    return this.#timeoutMs === null && this.#breaker.hasEnded
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    const ms = this.#timeoutMs
    return ms === null ? answer : loopAwareTimeout.limit(answer, ms, () => new StoreError(`no answer within ${ms} ms`))
  }

  async #try(): Promise<void> {
    try {
      await this.#inTime(this.#store.ping())
      this.#breaker.reset()
    } catch (error) {
      this.#breaker.trip(error)
    }
  }
}
