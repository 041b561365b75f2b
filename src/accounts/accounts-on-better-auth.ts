import type { FoundAccount } from './account-writer.ts'
import { AccountError, type Accounts } from './accounts.ts'
import { readPersonName } from './form-rules.ts'
import type { Guess } from './guesses.ts'
import { LogIns } from './log-ins.ts'
import type { AccountParts } from './parts.ts'
import { checkNotPersonal, checkPassword } from './password-rules.ts'
import { replacePassword } from './replace-password.ts'
import { requirePassword } from './require-password.ts'
import { SignUps } from './sign-ups.ts'
import type { CurrentSession, KnownSession, LogIn, SessionInfo, Visitor } from './types.ts'

type Form<Method extends keyof Accounts> = Accounts[Method] extends (form: infer F, visitor: Visitor) => unknown
  ? F
  : never

/** Accounts on better-auth, which stores credentials, sessions and tokens in the database of the store. */
export class AccountsOnBetterAuth implements Accounts {
  readonly #parts: AccountParts
  readonly #signUps: SignUps
  readonly #logIns: LogIns

  constructor(parts: AccountParts) {
    this.#parts = parts
    this.#signUps = new SignUps(parts)
    this.#logIns = new LogIns(parts)
  }

  get canMail(): boolean {
    return this.#parts.mailer !== null
  }

  get signUp(): AccountParts['signUp'] {
    return this.#parts.signUp
  }

  findSession(visitor: Visitor): Promise<CurrentSession | null> {
    return this.#run(() => this.#parts.sessions.find(visitor))
  }

  checkInvite(token: string, visitor: Visitor): Promise<void> {
    return this.#run(() => this.#signUps.checkInvite(token, visitor))
  }

  register(form: Form<'register'>, visitor: Visitor): Promise<LogIn | 'mailed'> {
    return this.#run(() => this.#signUps.register(form, visitor))
  }

  verify(form: Form<'verify'>, visitor: Visitor): Promise<LogIn> {
    return this.#run(() => this.#signUps.verify(form, visitor))
  }

  discard(token: string, visitor: Visitor): Promise<void> {
    return this.#run(() => this.#signUps.discard(token, visitor))
  }

  logIn(form: Form<'logIn'>, visitor: Visitor): Promise<LogIn> {
    return this.#run(() => this.#logIns.logIn(form, visitor))
  }

  requestLogInLink(email: string, visitor: Visitor): Promise<void> {
    return this.#run(() => this.#logIns.requestLink('log-in', email, visitor))
  }

  logOut(visitor: Visitor): Promise<readonly string[]> {
    return this.#run(() => this.#parts.sessions.end(visitor))
  }

  requestReset(email: string, visitor: Visitor): Promise<void> {
    return this.#run(() => this.#logIns.requestLink('reset', email, visitor))
  }

  resetPassword(form: Form<'resetPassword'>, visitor: Visitor): Promise<readonly string[]> {
    return this.#run(() => this.#logIns.resetPassword(form, visitor))
  }

  rename(name: string, visitor: Visitor): Promise<void> {
    return this.#run(async () => {
      const { account } = await this.#parts.sessions.require(visitor)
      await this.#parts.writer.rename(account.id, readPersonName(name))
    })
  }

  changeEmail({ email, password }: Form<'changeEmail'>, visitor: Visitor): Promise<'changed' | 'mailed'> {
    return this.#run(async () => {
      const session = await this.#parts.sessions.require(visitor)
      const { owner } = await this.#checkOwner(session, password, visitor)
      return this.#signUps.changeEmail(email, { owner, session }, visitor)
    })
  }

  changePassword({ current, password }: Form<'changePassword'>, visitor: Visitor): Promise<readonly string[]> {
    const { sessions, hasher, browsers } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      checkPassword(password)
      checkNotPersonal(password, session.account)
      const { owner, guess } = await this.#checkOwner(session, current, visitor)
      const passwordHash = await hasher.hash(password, guess.client)
      if (!(await replacePassword(this.#parts, owner, passwordHash))) throw new AccountError('wrong_password')
      const { cookies } = await sessions.start(session.account, visitor)
      return [...cookies, ...browsers.remember({ ...owner, passwordHash }, visitor, owner)]
    })
  }

  listSessions(session: KnownSession): Promise<readonly SessionInfo[]> {
    return this.#run(() => this.#parts.sessions.list(session))
  }

  endSession(id: string, visitor: Visitor): Promise<void> {
    const { sessions } = this.#parts
    return this.#run(async () => sessions.endSome(await sessions.require(visitor), (one) => one === id))
  }

  endOtherSessions(visitor: Visitor): Promise<void> {
    const { sessions } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      await sessions.endSome(session, (id) => id !== session.sessionId)
    })
  }

  remove(password: string, visitor: Visitor): Promise<readonly string[]> {
    const { sessions, store, browsers } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      const { owner } = await this.#checkOwner(session, password, visitor)
      await store.deleteAccount(session.account.id, new Date(visitor.now))
      return [...(await sessions.end(visitor)), ...browsers.forget(owner, visitor)]
    })
  }

  async close(): Promise<void> {
    await this.#parts.background.end()
    this.#parts.mailer?.close()
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.calls.run(work)
  }

  /** @returns the account with the hash that the password was compared with. Guesses count by session, so strangers cannot use them up */
  async #checkOwner(
    { account, sessionId: id }: CurrentSession,
    password: string,
    { address, now }: Visitor,
  ): Promise<{ readonly owner: FoundAccount; readonly guess: Guess }> {
    const { guesses, writer, hasher } = this.#parts
    const guess = await guesses.count({ kind: 'session', id, address }, now)
    const hash = await writer.getPasswordHash(account.id)
    await requirePassword(hasher, { guess, password, hash }, 'wrong_password')
    return { owner: { account, passwordHash: hash }, guess }
  }
}
