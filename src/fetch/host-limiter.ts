import { setTimeout } from 'node:timers/promises'
import { race } from '../async/race.ts'
import type { Session } from './session.ts'

/** Whom to ask before a host is visited. */
export interface Gate {
  /** Whether waiting costs nothing of a scan's deadline. */
  readonly stopsClock: boolean
  /**
   * Waits until the host may be visited.
   * @returns what to call, once, when it is left
   * @throws the signal's reason once that aborts
   */
  enter(host: string, signal: AbortSignal): Promise<() => void>
}

/** Plain data, so that it can be sent to a thread. */
export interface GateOptions {
  /** Visitors that a host has at a time. */
  readonly visitors: number
  /** Milliseconds from one visitor's leaving to the next one's coming. */
  readonly pauseMs: number
  readonly stopsClock: boolean
}

interface Door {
  inside: number
  leftAt: number
  /** Who waits, the first first; a call hands over the place of one who leaves. */
  readonly waiting: Set<() => void>
}

/** Hosts that are kept to know when the next visit may come, before those that are long left are forgotten. */
const MANY = 1000

/** Lets few visitors to a host at a time, in the order of their coming, with a pause between two. */
export class HostGate implements Gate {
  readonly stopsClock: boolean
  readonly #visitors: number
  readonly #pauseMs: number
  readonly #doors = new Map<string, Door>()

  constructor({ visitors, pauseMs, stopsClock }: GateOptions) {
    this.#visitors = visitors
    this.#pauseMs = pauseMs
    this.stopsClock = stopsClock
  }

  async enter(host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const door = this.#doorOf(host)
    if (door.inside < this.#visitors) door.inside++
    else await turnOf(door, signal)
    const leave = (): void => {
      door.leftAt = performance.now()
      const [next] = door.waiting
      if (next === undefined) door.inside--
      else next()
    }
    try {
      signal.throwIfAborted()
      const restMs = door.leftAt + this.#pauseMs - performance.now()
      if (restMs > 0) await race(setTimeout(restMs, undefined, { signal }), signal)
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  #doorOf(host: string): Door {
    let door = this.#doors.get(host)
    if (door === undefined) {
      if (this.#doors.size >= MANY) this.#forget()
      door = { inside: 0, leftAt: Number.NEGATIVE_INFINITY, waiting: new Set() }
      this.#doors.set(host, door)
    }
    return door
  }

  #forget(): void {
    const over = performance.now() - this.#pauseMs
    for (const [host, { inside, leftAt }] of this.#doors) if (inside === 0 && leftAt < over) this.#doors.delete(host)
  }
}

/** Waits for the place of one who leaves. */
function turnOf({ waiting }: Door, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (): void => {
      waiting.delete(take)
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = (): void => {
      waiting.delete(take)
      reject(signal.reason)
    }
    waiting.add(take)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}

/**
 * The places that one scan holds: one at the host of its page, where all its requests belong to it, and one for each request
 * of side evidence that a redirect sends to another host. Side evidence waits only as long as its own time lasts, so two
 * scans never wait for each other forever.
 */
export class Visit {
  readonly #gate: Gate | undefined
  readonly #session: Session
  #host: string | undefined
  #leave = (): void => {}

  constructor(gate: Gate | undefined, session: Session) {
    this.#gate = gate
    this.#session = session
  }

  /** Leaves the host of the last page and waits for a place at the next one. */
  async to(host: string): Promise<void> {
    if (this.#gate === undefined || host === this.#host) return
    this.end()
    const entering = this.#gate.enter(host, this.#session.signal)
    this.#leave = this.#gate.stopsClock ? await this.#session.pause(entering) : await entering
    this.#host = host
  }

  /**
   * Waits for a place for one request that is not the page's.
   * @returns what to call, once, when the request has ended
   * @throws the signal's reason once that aborts
   */
  async aside(host: string, signal: AbortSignal): Promise<() => void> {
    if (this.#gate === undefined || host === this.#host) return () => {}
    return await this.#gate.enter(host, signal)
  }

  end(): void {
    this.#leave()
    this.#leave = () => {}
    this.#host = undefined
  }
}
