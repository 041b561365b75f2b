import { setMaxListeners } from 'node:events'
import { raceSignal } from './race-signal.ts'

interface DeadlineOptions {
  readonly ms: number
  /** Builds the reason with which the signal aborts when the time is up; by default that of `AbortController`. */
  readonly createReason?: () => unknown
  /** Aborts the deadline, with its own reason, before the time is up. */
  readonly parent?: AbortSignal | undefined
}

/**
 * A signal that aborts after a time, with a parent signal, or by a call. Unlike `AbortSignal.timeout` and `AbortSignal.any`,
 * it can be paused, keeps the process alive while it runs, and leaves no timer and no listener once it is cleared.
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #createReason: () => unknown
  readonly #parent: AbortSignal | undefined
  readonly #onParent = (): void => this.abort(this.#parent?.reason)
  #remainingMs: number
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ ms, createReason = () => undefined, parent }: DeadlineOptions) {
    this.#remainingMs = ms
    this.#createReason = createReason
    this.#parent = parent
    // Every request of a scan adds a few listeners, and removes them when it ends. Node would warn of more than ten.
    setMaxListeners(0, this.signal)
    parent?.addEventListener('abort', this.#onParent, { once: true })
    if (parent?.aborted) this.#onParent()
    else this.resume()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Milliseconds until the signal aborts by itself. */
  get remainingMs(): number {
    const elapsedMs = this.#timer === undefined ? 0 : performance.now() - this.#startedAt
    return Math.max(0, this.#remainingMs - elapsedMs)
  }

  /** Aborts the signal now. An aborted signal keeps its first reason. */
  abort(reason?: unknown): void {
    this.clear()
    this.#controller.abort(reason)
  }

  /** Stops the clock until `resume`. */
  pause(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#remainingMs -= performance.now() - this.#startedAt
  }

  /** Continues with the time that was left at `pause`. Does nothing after an abort. */
  resume(): void {
    if (this.#timer !== undefined || this.signal.aborted) return
    this.#startedAt = performance.now()
    this.#timer = setTimeout(() => this.abort(this.#createReason()), Math.max(0, this.#remainingMs))
  }

  /** Removes the timer and the listener. The signal no longer aborts by itself. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#parent?.removeEventListener('abort', this.#onParent)
  }
}

/**
 * Settles as `promise` does, or rejects after `ms`.
 * @param createReason builds the error to reject with
 */
export async function withDeadline<T>(promise: Promise<T>, ms: number, createReason: () => unknown): Promise<T> {
  const deadline = new Deadline({ ms, createReason })
  try {
    return await raceSignal(promise, deadline.signal)
  } finally {
    deadline.clear()
  }
}
