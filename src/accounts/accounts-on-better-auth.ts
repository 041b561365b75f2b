import type { FoundAccount } from './account-writer.ts'
import { AccountError, type Accounts } from './accounts.ts'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS } from './link-tokens.ts'
import { buildLink } from './links.ts'
import type { Mailer } from './mailer.ts'
import { buildResetMail } from './mails.ts'
import type { AccountParts } from './parts.ts'
import { checkNotPersonal, checkPassword } from './password-rules.ts'
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
    const { attempts, writer, sessions } = this.#parts
    return this.#run(async () => {
      await attempts.countVisit(visitor)
      const email = readEmailAddress(form.email)
      const found = await writer.find(email)
      const hash = found?.passwordHash ?? null
      await requirePassword(this.#parts, { email, password: form.password, hash }, visitor, 'wrong_login')
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
      background.start('the e-mail of a reset', () => calls.run(() => this.#mailReset(mailer, found)))
    })
  }

  async #mailReset(mailer: Mailer, found: FoundAccount | null): Promise<void> {
    if (found === null) return
    const { tokens, publicUrl } = this.#parts
    const token = await tokens.issueReset(found, LINK_HOURS.reset)
    const mail = buildResetMail(publicUrl, buildLink(publicUrl, 'reset', token), LINK_HOURS.reset)
    await mailer.send(found.account.email, mail)
  }

  resetPassword({ token, password }: Form<'resetPassword'>, visitor: Visitor): Promise<void> {
    const { attempts, tokens, hasher } = this.#parts
    return this.#run(async () => {
      checkPassword(password)
      await attempts.countVisit(visitor)
      const found = await tokens.findReset(token)
      if (found === null) throw new AccountError('invalid_token')
      checkNotPersonal(password, found.account)
      const hash = await hasher.hash(password)
      if (!(await tokens.useReset(token))) throw new AccountError('invalid_token')
      if (!(await this.#replacePassword(found, hash))) throw new AccountError('invalid_token')
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
      const found = await this.#checkOwner(session, password, visitor)
      return this.#signUps.changeEmail(email, found, visitor)
    })
  }

  changePassword({ current, password }: Form<'changePassword'>, visitor: Visitor): Promise<readonly string[]> {
    const { sessions, hasher } = this.#parts
    return this.#run(async () => {
      const session = await sessions.require(visitor)
      checkPassword(password)
      checkNotPersonal(password, session.account)
      const found = await this.#checkOwner(session, current, visitor)
      if (!(await this.#replacePassword(found, await hasher.hash(password)))) throw new AccountError('wrong_password')
      return (await sessions.start(session.account, visitor)).cookies
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

  /**
   * Sessions end before and after the change: a log-in with the former password may be in progress.
   * @returns false if the password was changed in the meantime
   */
  async #replacePassword({ account, passwordHash }: FoundAccount, hash: string): Promise<boolean> {
    const { sessions, writer } = this.#parts
    await sessions.endAll(account.id)
    if (!(await writer.replacePassword(account.id, passwordHash, hash))) return false
    await sessions.endAll(account.id)
    return true
  }

  /** @returns the account with the hash that the password was compared with */
  async #checkOwner({ account }: CurrentSession, password: string, visitor: Visitor): Promise<FoundAccount> {
    const hash = await this.#parts.writer.getPasswordHash(account.id)
    await requirePassword(this.#parts, { email: account.email, password, hash }, visitor, 'wrong_password')
    return { account, passwordHash: hash }
  }
}
