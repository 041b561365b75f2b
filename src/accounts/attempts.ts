import { createHmac } from 'node:crypto'
import type { SharedState } from '../coordination/types.ts'
import { AccountError } from './accounts.ts'
import type { Visitor } from './types.ts'

/** Limits per clock minute, on all nodes together. */
const MAX_LOG_INS_PER_ADDRESS = 10
/**
 * Correct passwords count too, because concurrent attempts could pass the limit before the first check has finished.
 */
const MAX_PASSWORDS_PER_ACCOUNT = 10
const MAX_INVITES_PER_ADDRESS = 10
const MAX_MAILS = 3

type Client = Pick<Visitor, 'address' | 'now'>

/**
 * Counts attempts to guess a password or to send an e-mail. E-mail addresses are counted by a keyed hash, whether they
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

  /** Counts a log-in, a sign-up, or the use of a link. @throws AccountError `too_many_attempts` */
  async countVisit({ address, now }: Client): Promise<void> {
    await this.#count(`log-in:${address}`, now, MAX_LOG_INS_PER_ADDRESS)
  }

  /** Counts an invitation that is checked. @throws AccountError `too_many_attempts` */
  async countInvite({ address, now }: Client): Promise<void> {
    await this.#count(`invite:${address}`, now, MAX_INVITES_PER_ADDRESS)
  }

  /** Counts a password that is about to be checked, correct or not. @throws AccountError `too_many_attempts` */
  async countPassword(email: string, now: number): Promise<void> {
    await this.#count(`password:${this.#hash(email)}`, now, MAX_PASSWORDS_PER_ACCOUNT)
  }

  /** Counts an e-mail, by the client and by the recipient. @throws AccountError `too_many_attempts` */
  async countMail({ address, now }: Client, recipient: string): Promise<void> {
    await this.#count(`mail-from:${address}`, now, MAX_MAILS)
    await this.#count(`mail-to:${this.#hash(recipient)}`, now, MAX_MAILS)
  }

  async #count(counter: string, now: number, limit: number): Promise<void> {
    const { count } = await this.#shared.countRequest({ counter, now, cost: 1 })
    if (count > limit) throw new AccountError('too_many_attempts')
  }

  #hash(email: string): string {
    return createHmac('sha256', this.#secret).update(`attempts:${email}`).digest('base64url')
  }
}
