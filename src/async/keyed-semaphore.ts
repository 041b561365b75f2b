import { createDeferred } from './deferred.ts'

interface SemaphoreOptions {
  /** Slots per key. */
  readonly perKey: number
  /** Slots in total; unlimited by default. */
  readonly total?: number
}

interface Waiter {
  readonly key: string
  readonly admit: () => void
}

/**
 * Limits concurrent work, in total and per key. Waiters are served in FIFO order, except that a waiter whose key is at its
 * limit does not block waiters of other keys.
 */
export class KeyedSemaphore {
  readonly #perKey: number
  readonly #total: number
  readonly #waiters = new Set<Waiter>()
  readonly #held = new Map<string, number>()
  #count = 0

  constructor({ perKey, total = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#perKey = perKey
    this.#total = total
  }

  /** Slots in use. */
  get running(): number {
    return this.#count
  }

  get waiting(): number {
    return this.#waiters.size
  }

  hasRoom(key: string): boolean {
    return this.#count < this.#total && (this.#held.get(key) ?? 0) < this.#perKey
  }

  /**
   * Waits for a slot.
   * @returns a function that releases the slot; later calls of it do nothing
   * @throws the signal's reason when it aborts before there is a slot
   */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.hasRoom(key)) this.#take(key)
    else await this.#wait(key, signal)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release(key)
    }
  }

  async #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = createDeferred<void>()
    const waiter: Waiter = { key, admit: resolve }
    const onAbort = (): void => {
      // The slot may have been granted in the same turn: then the caller owns it, and gets no error.
      if (this.#waiters.delete(waiter)) reject(signal?.reason)
    }
    this.#waiters.add(waiter)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #take(key: string): void {
    this.#count++
    this.#held.set(key, (this.#held.get(key) ?? 0) + 1)
  }

  /**
   * Passes the slot on immediately, so that a new call cannot overtake a waiter. One release admits at most one waiter.
   */
  #release(key: string): void {
    this.#count--
    const left = (this.#held.get(key) ?? 1) - 1
    if (left > 0) this.#held.set(key, left)
    else this.#held.delete(key)
    for (const waiter of this.#waiters) {
      if (!this.hasRoom(waiter.key)) continue
      this.#waiters.delete(waiter)
      this.#take(waiter.key)
      waiter.admit()
      return
    }
  }
}
