import { AccountError } from './accounts.ts'
import type { Attempts, Limit } from './attempts.ts'
import { listNetworks } from './networks.ts'
import type { HashClient } from './password-hasher.ts'

/** A browser that has not shown that it belongs to the account. */
export interface Stranger {
  readonly kind: 'stranger'
  readonly address: string
  readonly email: string
}

/** What has shown that it belongs to an account. Its guesses count on their own, so that no stranger can use them up. */
export interface Trusted {
  /** A browser that has logged in before, a session, or the owner of a link of an e-mail. */
  readonly kind: 'browser' | 'session' | 'link'
  /** Id of the browser or of the session; the token of the link. */
  readonly id: string
  readonly address: string
}

export type Guesser = Stranger | Trusted

/** A password that is about to be compared. */
export interface Guess {
  readonly client: HashClient
  /** Call it if the password is right: only wrong ones count against most limits. */
  succeed(): Promise<void>
}

/** Log-ins of strangers from one address, right or wrong, per minute. */
const MAX_LOG_INS_PER_ADDRESS = 30
/** Wrong passwords of strangers for one account from one address, per minute. */
const MAX_WRONG_PER_ADDRESS_AND_ACCOUNT = 10
/** Wrong passwords of strangers for one account per day. After them, strangers need a link that the owner receives. */
export const MAX_WRONG_PER_ACCOUNT = 100
/** Without e-mail: wrong passwords for such an account that each address, or IPv6 network (/48), may still try per day. */
const MAX_LATE_WRONG_PER_NETWORK = 3
/** Passwords of a browser, a session or a link per minute, right or wrong. */
const MAX_TRUSTED_PER_MINUTE = 20
/** Wrong passwords of a browser, a session or a link per minute and per day. */
const MAX_TRUSTED_WRONG = {
  browser: { minute: 10, day: 50 },
  session: { minute: 10, day: 50 },
  link: { minute: 10, day: 20 },
} as const

interface GuessOptions {
  readonly attempts: Attempts
  /** Whether the service can send links to owners. */
  readonly canMail: boolean
}

/**
 * Limits guesses of passwords without giving strangers a way to lock an owner out: their guesses count by address and account, and
 * what has shown that it belongs to the account counts on its own. Accounts need not exist.
 */
export class Guesses {
  readonly #attempts: Attempts
  readonly #canMail: boolean

  constructor({ attempts, canMail }: GuessOptions) {
    this.#attempts = attempts
    this.#canMail = canMail
  }

  /**
   * Counts a password that is about to be compared. It counts as wrong until `succeed` is called, because concurrent guesses could
   * pass the limits otherwise.
   * @throws AccountError `too_many_attempts`, `needs_link`, `too_many_today`, `too_many_in_session`, `invalid_token`
   */
  async count(guesser: Guesser, now: number): Promise<Guess> {
    const undo =
      guesser.kind === 'stranger' ? await this.#countStranger(guesser, now) : await this.#countTrusted(guesser, now)
    return {
      client: describeClient(guesser, this.#attempts),
      succeed: async () => void (await Promise.all(undo.map((one) => one()))),
    }
  }

  /** Counts a log-in that names no account. @throws AccountError `too_many_attempts` */
  async countAddress(address: string, now: number): Promise<void> {
    const limit: Limit = { counter: `log-in:${address}`, window: 'minute', max: MAX_LOG_INS_PER_ADDRESS }
    if ((await this.#attempts.count(limit, now)) > limit.max) throw new AccountError('too_many_attempts')
  }

  /** Whether a browser has entered so many wrong passwords today that it counts as a stranger. */
  async isUsedUp(browser: string, now: number): Promise<boolean> {
    const max = MAX_TRUSTED_WRONG.browser.day
    return (await this.#attempts.readUndoable({ counter: `browser:${browser}`, window: 'day', max }, now)) >= max
  }

  async #countStranger({ address, email }: Stranger, now: number): Promise<readonly Undo[]> {
    const account = this.#attempts.hash(email)
    await this.countAddress(address, now)
    const minute: Limit = {
      counter: `guess:${address}:${account}`,
      window: 'minute',
      max: MAX_WRONG_PER_ADDRESS_AND_ACCOUNT,
    }
    const first = await this.#attempts.countUndoable(minute, now)
    if (first.used > minute.max) throw new AccountError('too_many_attempts')
    // Counted afterwards: guesses that the limits of the address reject must not use up the limit of the account.
    const day: Limit = { counter: `guess:${account}`, window: 'day', max: MAX_WRONG_PER_ACCOUNT }
    const second = await this.#attempts.countUndoable(day, now)
    const undo = [first.undo, second.undo]
    if (second.used <= day.max) return undo
    if (this.#canMail) throw new AccountError('needs_link')
    const [network] = listNetworks(address)
    const late: Limit = { counter: `late:${network}:${account}`, window: 'day', max: MAX_LATE_WRONG_PER_NETWORK }
    const third = await this.#attempts.countUndoable(late, now)
    if (third.used > late.max) throw new AccountError('too_many_today')
    return [...undo, third.undo]
  }

  async #countTrusted({ kind, id }: Trusted, now: number): Promise<readonly Undo[]> {
    const counter = `${kind}:${kind === 'link' ? this.#attempts.hash(id) : id}`
    const wrong = MAX_TRUSTED_WRONG[kind]
    const [all, ofMinute, ofDay] = await Promise.all([
      this.#attempts.count({ counter: `${counter}:all`, window: 'minute', max: MAX_TRUSTED_PER_MINUTE }, now),
      this.#attempts.countUndoable({ counter, window: 'minute', max: wrong.minute }, now),
      this.#attempts.countUndoable({ counter, window: 'day', max: wrong.day }, now),
    ])
    if (all > MAX_TRUSTED_PER_MINUTE || ofMinute.used > wrong.minute) {
      await ofDay.undo()
      throw new AccountError('too_many_attempts')
    }
    if (ofDay.used > wrong.day) throw new AccountError(USED_UP[kind])
    return [ofMinute.undo, ofDay.undo]
  }
}

type Undo = () => Promise<void>

const USED_UP = { browser: 'too_many_attempts', session: 'too_many_in_session', link: 'invalid_token' } as const

/** Hashes of clients wait by network and address, and those of one address by account. */
function describeClient(guesser: Guesser, attempts: Attempts): HashClient {
  const networks = listNetworks(guesser.address)
  if (guesser.kind === 'stranger') return { path: networks, isTrusted: false }
  return { path: [...networks, guesser.kind === 'link' ? attempts.hash(guesser.id) : guesser.id], isTrusted: true }
}
