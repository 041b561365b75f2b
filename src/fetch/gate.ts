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

/** Lets one visitor to a host at a time, in the order of their coming, with a pause between two. */
export class HostGate implements Gate {
  readonly #pauseMs: number
  /** By host: when the last of its visitors has left, and the pause is over. */
  readonly #free = new Map<string, Promise<void>>()

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs
  }

  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#free.get(host)
    let leave = (): void => {}
    const left = new Promise<void>((resolve) => (leave = resolve))
    const free = Promise.all([before, left]).then(async () => {
      await setTimeout(this.#pauseMs, undefined, { ref: false })
      if (this.#free.get(host) === free) this.#free.delete(host)
    })
    this.#free.set(host, free)
    try {
      if (before !== undefined) await race(before, signal)
    } catch (error) {
      leave()
      throw error
    }
    return leave
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
