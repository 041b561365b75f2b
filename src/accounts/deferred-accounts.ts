import type { Accounts } from './accounts.ts'
import type { CurrentSession, KnownSession, LogIn, SessionInfo, Visitor } from './types.ts'

/** Part of the name of the cookie of a session, with and without the prefix of a secure one (`advanced.cookiePrefix` of better-auth). */
const SESSION_COOKIE = 'siteprint.session_token'

type Arguments<Method extends keyof Accounts> = Accounts[Method] extends (...args: infer Values) => unknown
  ? Values
  : never

/**
 * Accounts that are opened by the first call that needs them. better-auth takes a quarter of the CPU time of a start, and most requests of
 * a service are scans. A visitor without a session does not need it.
 */
export class DeferredAccounts implements Accounts {
  readonly canMail: boolean
  readonly signUp: Accounts['signUp']
  readonly #open: () => Promise<Accounts>
  #accounts: Promise<Accounts> | undefined

  /** @param open opens the accounts. After a failure, the next call tries again */
  constructor({ canMail, signUp }: Pick<Accounts, 'canMail' | 'signUp'>, open: () => Promise<Accounts>) {
    this.canMail = canMail
    this.signUp = signUp
    this.#open = open
  }

  async findSession(visitor: Visitor): Promise<CurrentSession | null> {
    if (visitor.cookie?.includes(SESSION_COOKIE) !== true) return null
    return (await this.#get()).findSession(visitor)
  }

  async checkInvite(...args: Arguments<'checkInvite'>): Promise<void> {
    await (await this.#get()).checkInvite(...args)
  }

  async register(...args: Arguments<'register'>): Promise<LogIn | 'mailed'> {
    return (await this.#get()).register(...args)
  }

  async verify(...args: Arguments<'verify'>): Promise<LogIn> {
    return (await this.#get()).verify(...args)
  }

  async discard(...args: Arguments<'discard'>): Promise<void> {
    await (await this.#get()).discard(...args)
  }

  async logIn(...args: Arguments<'logIn'>): Promise<LogIn> {
    return (await this.#get()).logIn(...args)
  }

  async requestLogInLink(...args: Arguments<'requestLogInLink'>): Promise<void> {
    await (await this.#get()).requestLogInLink(...args)
  }

  async logOut(visitor: Visitor): Promise<readonly string[]> {
    return (await this.#get()).logOut(visitor)
  }

  async requestReset(...args: Arguments<'requestReset'>): Promise<void> {
    await (await this.#get()).requestReset(...args)
  }

  async resetPassword(...args: Arguments<'resetPassword'>): Promise<readonly string[]> {
    return (await this.#get()).resetPassword(...args)
  }

  async rename(...args: Arguments<'rename'>): Promise<void> {
    await (await this.#get()).rename(...args)
  }

  async changeEmail(...args: Arguments<'changeEmail'>): Promise<'changed' | 'mailed'> {
    return (await this.#get()).changeEmail(...args)
  }

  async changePassword(...args: Arguments<'changePassword'>): Promise<readonly string[]> {
    return (await this.#get()).changePassword(...args)
  }

  async listSessions(session: KnownSession): Promise<readonly SessionInfo[]> {
    return (await this.#get()).listSessions(session)
  }

  async endSession(...args: Arguments<'endSession'>): Promise<void> {
    await (await this.#get()).endSession(...args)
  }

  async endOtherSessions(visitor: Visitor): Promise<void> {
    await (await this.#get()).endOtherSessions(visitor)
  }

  async remove(...args: Arguments<'remove'>): Promise<readonly string[]> {
    return (await this.#get()).remove(...args)
  }

  /** Closes the accounts if they were opened. */
  async close(): Promise<void> {
    const accounts = await this.#accounts?.catch(() => undefined)
    await accounts?.close()
  }

  #get(): Promise<Accounts> {
    this.#accounts ??= this.#open().catch((error: unknown) => {
      this.#accounts = undefined
      throw error
    })
    return this.#accounts
  }
}
