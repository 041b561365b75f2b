import { createHmac } from 'node:crypto'
import type { SharedState } from '../coordination/types.ts'
import { AccountError } from './accounts.ts'
import type { Visitor } from './types.ts'

/** Limits per clock minute, on all nodes together. */
const MAX_LOG_INS_PER_ADDRESS = 10
const MAX_FAILED_LOG_INS_PER_ACCOUNT = 5
const MAX_MAILS = 3

type Client = Pick<Visitor, 'address' | 'now'>

/** Counts what guesses passwords or sends e-mails. E-mail addresses are counted by a keyed hash, whether they have an account or not. */
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

  /** Checks that few log-ins of an account have failed in this minute. @throws AccountError `too_many_attempts` */
  async checkFailures(email: string, now: number): Promise<void> {
    const { count } = await this.#shared.countRequest({ counter: this.#failuresOf(email), now, cost: 0 })
    if (count >= MAX_FAILED_LOG_INS_PER_ACCOUNT) throw new AccountError('too_many_attempts')
  }

  async countFailure(email: string, now: number): Promise<void> {
    await this.#shared.countRequest({ counter: this.#failuresOf(email), now, cost: 1 })
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

  #failuresOf(email: string): string {
    return `failed-log-in:${this.#hash(email)}`
  }

  #hash(email: string): string {
    return createHmac('sha256', this.#secret).update(`attempts:${email}`).digest('base64url')
  }
}
