import { KeyedSemaphore } from '../async/keyed-semaphore.ts'
import { wait } from '../async/wait.ts'
import type { Session } from './session.ts'

/** Plain data, so that it can be sent to a thread. */
export interface HostLimits {
  /** Concurrent slots of one host. */
  readonly slotsPerHost: number
  /** Milliseconds between the release of a slot and the next use of a slot of the same host. */
  readonly pauseMs: number
  /** Whether waiting for a slot pauses the deadline of the scan. */
  readonly pausesDeadline: boolean
}

/** Number of hosts whose last release is remembered before expired entries are removed. */
const MAX_REMEMBERED_HOSTS = 1000

/** Releases a slot. */
type ReleaseSlot = (use?: { readonly wasContacted: boolean }) => void

/** Limits how many scans contact one host at a time, in FIFO order, with a pause between two of them. */
export class HostLimiter {
  readonly pausesDeadline: boolean
  readonly #pauseMs: number
  readonly #slots: KeyedSemaphore
  /** Host → time of the last release. Removing an entry after `pauseMs` changes nothing. */
  readonly #releasedAt = new Map<string, number>()

  constructor({ slotsPerHost, pauseMs, pausesDeadline }: HostLimits) {
    this.#slots = new KeyedSemaphore({ perKey: slotsPerHost })
    this.#pauseMs = pauseMs
    this.pausesDeadline = pausesDeadline
  }

  /**
   * Waits for a slot of a host and for the pause after its last release.
   * @returns a function that releases the slot; a host that was not contacted needs no pause
   * @throws the signal's reason when it aborts
   */
  async acquire(host: string, signal: AbortSignal): Promise<ReleaseSlot> {
    const releaseSlot = await this.#slots.acquire(host, signal)
    const release: ReleaseSlot = ({ wasContacted } = { wasContacted: true }) => {
      if (wasContacted) this.#rememberRelease(host)
      releaseSlot()
    }
    try {
      signal.throwIfAborted()
      const releasedAt = this.#releasedAt.get(host) ?? Number.NEGATIVE_INFINITY
      const restMs = releasedAt + this.#pauseMs - performance.now()
      if (restMs > 0) await wait(restMs, signal)
      return release
    } catch (error) {
      releaseSlot()
      throw error
    }
  }

  #rememberRelease(host: string): void {
    if (this.#pauseMs <= 0) return
    const now = performance.now()
    if (this.#releasedAt.size >= MAX_REMEMBERED_HOSTS)
      for (const [other, releasedAt] of this.#releasedAt)
        if (releasedAt + this.#pauseMs < now) this.#releasedAt.delete(other)
    this.#releasedAt.set(host, now)
  }
}

/**
 * The slots of one scan: one at the host of its page, which covers all its requests to that host, and one for each
 * side-evidence request that is redirected to another host. Side evidence waits for a slot only within its own time limit,
 * so two scans cannot deadlock.
 */
export class HostSlot {
  readonly #limiter: HostLimiter | undefined
  readonly #session: Session
  #host: string | undefined
  #release: ReleaseSlot = () => {}

  constructor(limiter: HostLimiter | undefined, session: Session) {
    this.#limiter = limiter
    this.#session = session
  }

  /** Releases the slot at the host of the last page and waits for one at the next host. */
  async moveTo(host: string): Promise<void> {
    if (this.#limiter === undefined || host === this.#host) return
    this.release()
    const acquiring = this.#limiter.acquire(host, this.#session.signal)
    this.#release = this.#limiter.pausesDeadline ? await this.#session.pauseDeadline(acquiring) : await acquiring
    this.#host = host
  }

  /**
   * Waits for a slot for one side-evidence request. A request to the host of the page needs no other slot.
   * @returns a function that releases the slot; call it once, when the request has ended
   * @throws the signal's reason when it aborts
   */
  async acquireForEvidence(host: string, signal: AbortSignal): Promise<() => void> {
    if (this.#limiter === undefined || host === this.#host) return () => {}
    const release = await this.#limiter.acquire(host, signal)
    return () => release({ wasContacted: this.#session.contacted.has(host) })
  }

  release(): void {
    this.#release({ wasContacted: this.#host !== undefined && this.#session.contacted.has(this.#host) })
    this.#release = () => {}
    this.#host = undefined
  }
}
