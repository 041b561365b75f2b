import { setTimeout } from 'node:timers/promises'
import { race } from './race.ts'
import type { Session } from './session.ts'

/** Whom to ask before a host is visited. */
export interface Gate {
  /**
   * Waits until the host may be visited.
   * @returns what to call when it is left
   * @throws the signal's reason once that aborts
   */
  enter(host: string, signal: AbortSignal): Promise<() => void>
}

/** Visits that are kept to know when the next may come, before those that are long over are forgotten. */
const MANY = 1000

/** Lets one visitor to a host at a time, in the order of their coming, with a pause between two. */
export class HostGate implements Gate {
  readonly #pauseMs: number
  /** By host: its last visitor, and when that left. */
  readonly #last = new Map<string, { readonly left: Promise<void>; leftAt: number }>()

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#last.get(host)
    let tell = (): void => {}
    const visit = { left: new Promise<void>((resolve) => (tell = resolve)), leftAt: Number.POSITIVE_INFINITY }
    const leave = (): void => {
      visit.leftAt = performance.now()
      tell()
    }
    if (this.#last.size >= MANY) this.#forget()
    this.#last.set(host, visit)
    try {
      if (before === undefined) return leave
      await race(before.left, signal)
      const restMs = before.leftAt + this.#pauseMs - performance.now()
      if (restMs > 0) await race(setTimeout(restMs, undefined, { signal }), signal)
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  #forget(): void {
    const over = performance.now() - this.#pauseMs
    for (const [host, { leftAt }] of this.#last) if (leftAt < over) this.#last.delete(host)
  }
}

/** The host that one scan visits: it holds no two at a time, so that no two scans wait for each other. */
export class Visit {
  readonly #gate: Gate | undefined
  readonly #session: Session
  #host: string | undefined
  #leave = (): void => {}

  constructor(gate: Gate | undefined, session: Session) {
    this.#gate = gate
    this.#session = session
  }

  async to(host: string): Promise<void> {
    if (this.#gate === undefined || host === this.#host) return
    this.end()
    this.#leave = await this.#session.pause(this.#gate.enter(host, this.#session.signal))
    this.#host = host
  }

  end(): void {
    this.#leave()
    this.#host = undefined
  }
}
