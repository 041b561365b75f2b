import { createHmac } from 'node:crypto'
import type { LimitWindow, SharedState } from '../coordination/types.ts'
import { AccountError } from './accounts.ts'
import type { Visitor } from './types.ts'

/** Sign-ups and uses of links of an address per clock minute. */
const MAX_VISITS_PER_ADDRESS = 10
const MAX_INVITES_PER_ADDRESS = 10
/** E-mails per clock minute, by requesting session or address, and by recipient. */
const MAX_MAILS_PER_MINUTE = 3
/**
 * E-mails to a recipient per day, 10 in total. Each kind has a share of its own, so that sign-ups with the address of another
 * person cannot use up that person's resets.
 */
export const MAX_MAILS_PER_DAY = { reset: 3, 'log-in': 2, confirmation: 3, notice: 2 } as const

type Client = Pick<Visitor, 'address' | 'now'>
type MailKind = keyof typeof MAX_MAILS_PER_DAY

/** A counter and the highest count that is allowed. */
export interface Limit {
  readonly counter: string
  readonly window: LimitWindow
  readonly max: number
}

/** An e-mail that is about to be requested. */
export interface MailRequest {
  readonly kind: MailKind
  readonly recipient: string
  /** The session or the address that requests it. */
  readonly sender: string
  readonly now: number
}

/**
 * Counts sign-ups, uses of links and e-mails, on all nodes together. E-mail addresses are counted by a keyed hash, whether they
 * have an account or not.
 */
export class Attempts {
  readonly #shared: Pick<SharedState, 'countRequest'>
  readonly #secret: string

  /** @param secret key of the hashes */
  constructor(shared: Pick<SharedState, 'countRequest'>, secret: string) {
    this.#shared = shared
    this.#secret = secret
  }

  /** Counts a sign-up, or the use of a link. @throws AccountError `too_many_attempts` */
  async countVisit({ address, now }: Client): Promise<void> {
    await this.#require({ counter: `visit:${address}`, window: 'minute', max: MAX_VISITS_PER_ADDRESS }, now)
  }

  /** Counts an invitation that is checked. @throws AccountError `too_many_attempts` */
  async countInvite({ address, now }: Client): Promise<void> {
    await this.#require({ counter: `invite:${address}`, window: 'minute', max: MAX_INVITES_PER_ADDRESS }, now)
  }

  /**
   * Counts an e-mail, by who requests it, by recipient and kind, and by recipient. An e-mail that is not sent uses up nothing of a
   * day: a stranger who requests many cannot use up the recipient's share without sending a link that the recipient can use.
   * @returns whether it may be the last one of its kind today. This is always true for the last one, and may be true for others that
   * are requested at the same time.
   * @throws AccountError `too_many_attempts`, `mails_used_up`
   */
  async countMail({ kind, recipient, sender, now }: MailRequest): Promise<{ readonly isLast: boolean }> {
    const to = this.hash(recipient)
    await this.#require({ counter: `mail-from:${sender}`, window: 'minute', max: MAX_MAILS_PER_MINUTE }, now)
    const ofDay: Limit = { counter: `mail-${kind}:${to}`, window: 'day', max: MAX_MAILS_PER_DAY[kind] }
    const { used, undo } = await this.countUndoable(ofDay, now)
    try {
      if (used > ofDay.max) throw new AccountError('mails_used_up')
      await this.#require({ counter: `mail-to:${to}`, window: 'minute', max: MAX_MAILS_PER_MINUTE }, now)
    } catch (error) {
      await undo()
      throw error
    }
    return { isLast: used === ofDay.max }
  }

  /** Counts without comparing with the limit. */
  async count({ counter, window }: Limit, now: number, cost: 0 | 1 = 1): Promise<number> {
    return (await this.#shared.countRequest({ counter, window, now, cost })).count
  }

  /**
   * Counts what may turn out not to count. Concurrent calls cannot pass a limit, because each counts until it is undone. What was
   * undone is a counter of its own: counts only grow, so a lost one only makes a limit stricter until its window ends.
   */
  async countUndoable(
    limit: Limit,
    now: number,
  ): Promise<{ readonly used: number; readonly undo: () => Promise<void> }> {
    const undone = { ...limit, counter: `${limit.counter}:undone` }
    // What was undone is read first: what others undo in the meantime must not make room for this one.
    const [less, all] = await Promise.all([this.count(undone, now, 0), this.count(limit, now)])
    return { used: all - less, undo: async () => void (await this.count(undone, now)) }
  }

  /** Reads what `countUndoable` has counted. */
  async readUndoable(limit: Limit, now: number): Promise<number> {
    const undone = { ...limit, counter: `${limit.counter}:undone` }
    const [less, all] = await Promise.all([undone, limit].map((one) => this.count(one, now, 0)))
    return all - less
  }

  /** A keyed hash of an e-mail address or of a token, for the name of a counter. */
  hash(text: string): string {
    return createHmac('sha256', this.#secret).update(`attempts:${text}`).digest('base64url')
  }

  async #require(limit: Limit, now: number): Promise<void> {
    if ((await this.count(limit, now)) > limit.max) throw new AccountError('too_many_attempts')
  }
}
