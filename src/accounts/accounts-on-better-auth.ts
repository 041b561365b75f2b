import { AccountError, type Accounts } from './accounts.ts'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS } from './link-tokens.ts'
import { buildLink } from './links.ts'
import type { Mailer } from './mailer.ts'
import { buildResetMail } from './mails.ts'
import type { AccountParts } from './parts.ts'
import { checkPassword, isPossiblePassword } from './password-rules.ts'
import { SignUps } from './sign-ups.ts'
import type { Account, CurrentSession, LogIn, SessionInfo, Visitor } from './types.ts'

type Form<Method extends keyof Accounts> = Accounts[Method] extends (form: infer F, visitor: Visitor) => unknown
  ? F
  : never

/** Accounts on better-auth, which stores credentials, sessions and tokens in the database of the store. */
export class AccountsOnBetterAuth implements Accounts {
  readonly #parts: AccountParts
  readonly #signUps: SignUps

  constructor(parts: AccountParts) {
    this.#parts = parts
    this.#signUps = new SignUps(parts)
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

  register(form: Form<'register'>, visitor: Visitor): Promise<LogIn | 'mailed'> {
    return this.#run(() => this.#signUps.register(form, visitor))
  }

  verify(token: string, visitor: Visitor): Promise<LogIn> {
    return this.#run(() => this.#signUps.verify(token, visitor))
  }

  logIn(form: Form<'logIn'>, visitor: Visitor): Promise<LogIn> {
    const { attempts, writer, sessions } = this.#parts
    return this.#run(async () => {
      await attempts.countVisit(visitor)
      const email = readEmailAddress(form.email)
      const found = await writer.find(email)
      const hash = found?.passwordHash ?? null
      await this.#checkPassword({ email, password: form.password, hash }, visitor, 'wrong_login')
      if (found === null) throw new AccountError('wrong_login')
      const started = await sessions.start(found.account, visitor)
      // The password may have been changed after it was read, which ended all sessions but this one.
      if ((await writer.getPasswordHash(found.account.id)) === hash) return started
      await sessions.endAll(found.account.id)
      throw new AccountError('wrong_login')
    })
  }

  logOut(visitor: Visitor): Promise<readonly string[]> {
    return this.#run(() => this.#parts.sessions.end(visitor))
  }

  requestReset(text: string, visitor: Visitor): Promise<void> {
    const { attempts, writer, mailer, background, calls } = this.#parts
    return this.#run(async () => {
      const email = readEmailAddress(text)
      if (mailer === null) return
      await attempts.countMail(visitor, email)
      const found = await writer.find(email)
      background.start('the e-mail of a reset', () => calls.run(() => this.#mailReset(mailer, found?.account ?? null)))
    })
  }

  async #mailReset(mailer: Mailer, account: Account | null): Promise<void> {
    if (account === null) return
    const { tokens, publicUrl } = this.#parts
    const token = await tokens.issueReset(account.id, LINK_HOURS.reset)
    const mail = buildResetMail(publicUrl, buildLink(publicUrl, 'reset', token), LINK_HOURS.reset)
    await mailer.send(account.email, mail)
  }

  resetPassword({ token, password }: Form<'resetPassword'>, visitor: Visitor): Promise<void> {
    const { attempts, tokens, writer, hasher } = this.#parts
    return this.#run(async () => {
      checkPassword(password)
      await attempts.countVisit(visitor)
      const id = await tokens.findReset(token)
      const account = id === null ? null : await writer.get(id)
      if (account === null) throw new AccountError('invalid_token')
      const hash = await hasher.hash(password)
      if (!(await tokens.useReset(token))) throw new AccountError('invalid_token')
      await this.#replacePassword(account.id, hash)
      await tokens.deleteResets(account.id)
    })
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
      await this.#checkOwner(session, password, visitor)
      return this.#signUps.changeEmail(email, session, visitor)
    })
  }

  changePassword({ current, password }: Form<'changePassword'>, visitor: Visitor): Promise<readonly string[]> {
    const { sessions, hasher } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      checkPassword(password)
      await this.#checkOwner(session, current, visitor)
      await this.#replacePassword(session.account.id, await hasher.hash(password))
      return (await sessions.start(session.account, visitor)).cookies
    })
  }

  listSessions(visitor: Visitor): Promise<readonly SessionInfo[]> {
    const { sessions } = this.#parts
    return this.#run(async () => sessions.list(await sessions.require(visitor)))
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
    const { sessions, store } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      await this.#checkOwner(session, password, visitor)
      await store.deleteAccount(session.account.id, new Date(visitor.now))
      return sessions.end(visitor)
    })
  }

  async close(): Promise<void> {
    await this.#parts.background.end()
    this.#parts.mailer?.close()
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#parts.calls.run(work)
  }

  /** Sessions end before and after the change: a log-in with the former password may be in progress. */
  async #replacePassword(account: string, hash: string): Promise<void> {
    const { sessions, writer } = this.#parts
    await sessions.endAll(account)
    await writer.setPassword(account, hash)
    await sessions.endAll(account)
  }

  async #checkOwner({ account }: CurrentSession, password: string, visitor: Visitor): Promise<void> {
    const hash = await this.#parts.writer.getPasswordHash(account.id)
    await this.#checkPassword({ email: account.email, password, hash }, visitor, 'wrong_password')
  }

  /** Compares a password with its hash. Without a hash, because there is no such account, it takes the same time. */
  async #checkPassword(
    { email, password, hash }: { readonly email: string; readonly password: string; readonly hash: string | null },
    { now }: Visitor,
    code: 'wrong_login' | 'wrong_password',
  ): Promise<void> {
    const { attempts, hasher } = this.#parts
    await attempts.checkFailures(email, now)
    if (isPossiblePassword(password) && (await hasher.verify(password, hash))) return
    await attempts.countFailure(email, now)
    throw new AccountError(code)
  }
}
