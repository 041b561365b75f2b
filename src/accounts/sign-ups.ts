import type { Account } from '../store/account-types.ts'
import type { FoundAccount, NewAccount } from './account-writer.ts'
import { AccountError } from './accounts.ts'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS, type PendingAddress, type PendingSignUp } from './link-tokens.ts'
import { buildLink, hashInvite } from './links.ts'
import type { Mailer } from './mailer.ts'
import {
  buildAddressNoticeMail,
  buildExistingAccountMail,
  buildFormerAddressMail,
  buildNewAddressMail,
  buildSignUpMail,
} from './mails.ts'
import { listNetworks } from './networks.ts'
import type { AccountParts } from './parts.ts'
import { checkNotPersonal, checkPassword } from './password-rules.ts'
import { requirePassword } from './require-password.ts'
import type { CurrentSession, LogIn, Visitor } from './types.ts'

interface SignUpForm {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly invite: string | null
}

interface VerifyForm {
  readonly token: string
  readonly password: string
}

/** An account whose password was checked, and the session in which it was. */
interface OwnSession {
  readonly owner: FoundAccount
  readonly session: CurrentSession
}

/** The e-mails of a request to change an address. */
interface AddressMails {
  /** The new address. */
  readonly email: string
  /** The account that the new address has already. */
  readonly found: FoundAccount | null
  /** Whether the current address gets a notice. */
  readonly needsNotice: boolean
}

/** Sign-ups and changed addresses, and the links that confirm both. */
export class SignUps {
  readonly #parts: AccountParts

  constructor(parts: AccountParts) {
    this.#parts = parts
  }

  async checkInvite(token: string, visitor: Visitor): Promise<void> {
    await this.#parts.attempts.countInvite(visitor)
    await this.#findInvite(token)
  }

  async register(form: SignUpForm, visitor: Visitor): Promise<LogIn | 'mailed'> {
    const { attempts, writer, hasher, mailer } = this.#parts
    const name = readPersonName(form.name)
    const email = readEmailAddress(form.email)
    checkPassword(form.password)
    checkNotPersonal(form.password, { name, email })
    const { address, now } = visitor
    await attempts.countVisit(visitor)
    const invite = await this.#findInvite(form.invite)
    this.#checkReserved(email)
    if (mailer !== null) await attempts.countMail({ kind: 'confirmation', recipient: email, sender: address, now })
    const found = await writer.find(email)
    if (mailer === null && hasPassword(found)) throw new AccountError('address_taken')
    const passwordHash = await hasher.hash(form.password, { path: listNetworks(address), isTrusted: false })
    const request = { name, email, passwordHash, invite }
    if (mailer === null) {
      const account = await writer.create({ ...request, isVerified: false })
      return this.#start({ account, passwordHash }, visitor)
    }
    this.#inBackground('the e-mail of a sign-up', () => this.#mailSignUp(mailer, found, request))
    return 'mailed'
  }

  async #mailSignUp(
    mailer: Mailer,
    found: FoundAccount | null,
    request: Omit<NewAccount, 'isVerified'>,
  ): Promise<void> {
    if (hasPassword(found)) return this.#mailExisting(mailer, request.email)
    const token = await this.#parts.tokens.issuePending({ kind: 'sign-up', ...request })
    const { publicUrl } = this.#parts
    const mail = buildSignUpMail(publicUrl, buildLink(publicUrl, 'verify', token), LINK_HOURS.verify)
    await mailer.send(request.email, mail)
  }

  #mailExisting(mailer: Mailer, email: string): Promise<void> {
    const { publicUrl } = this.#parts
    return mailer.send(email, buildExistingAccountMail(publicUrl, `${publicUrl}/forgot`))
  }

  async verify({ token, password }: VerifyForm, visitor: Visitor): Promise<LogIn> {
    const { attempts, tokens } = this.#parts
    await attempts.countVisit(visitor)
    const pending = await tokens.findPending(token)
    if (pending === null) throw new AccountError('invalid_token')
    const found =
      pending.kind === 'sign-up'
        ? await this.#completeSignUp(pending, { token, password }, visitor)
        : await this.#changeAddress(pending, { token, password }, visitor)
    // Deleted last, so that an interrupted request can be repeated. Opening a link a second time changes nothing.
    await tokens.deletePending(token)
    return this.#start(found, visitor)
  }

  /** Begins a session, and remembers the browser. */
  async #start(found: FoundAccount, visitor: Visitor): Promise<LogIn> {
    const { sessions, browsers } = this.#parts
    const started = await sessions.start(found.account, visitor)
    return { ...started, cookies: [...started.cookies, ...browsers.remember(found, visitor)] }
  }

  async discard(token: string, visitor: Visitor): Promise<void> {
    await this.#parts.attempts.countVisit(visitor)
    await this.#parts.tokens.deletePending(token)
  }

  async #completeSignUp(
    { kind, ...request }: PendingSignUp,
    form: VerifyForm,
    visitor: Visitor,
  ): Promise<FoundAccount> {
    const { passwordHash } = request
    await this.#requirePassword(form, passwordHash, visitor)
    try {
      return { account: await this.#parts.writer.create({ ...request, isVerified: true }), passwordHash }
    } catch (error) {
      const isTaken = error instanceof AccountError && error.code === 'address_taken'
      throw isTaken ? new AccountError('invalid_token') : error
    }
  }

  /** Changes the address and ends all sessions. */
  async #changeAddress({ bound, to }: PendingAddress, form: VerifyForm, visitor: Visitor): Promise<FoundAccount> {
    const { tokens, sessions, writer, mailer, publicUrl } = this.#parts
    const found = await tokens.findBound(bound)
    if (found === null) throw new AccountError('invalid_token')
    const { account, passwordHash } = found
    const from = account.email
    const session = await sessions.find(visitor)
    if (session?.account.id !== account.id) await this.#requirePassword(form, passwordHash, visitor)
    if (account.suspendedAt !== null) throw new AccountError('suspended')
    await writer.changeEmail(account.id, to, true)
    await sessions.endAll(account.id)
    if (mailer !== null && from !== to)
      this.#inBackground('the e-mail to a former address', () => mailer.send(from, buildFormerAddressMail(publicUrl)))
    return { account: { ...account, email: to, isVerified: true }, passwordHash }
  }

  /** A missing password does not count as an attempt: the form may not have asked for it. Guesses count by link. */
  async #requirePassword({ token: id, password }: VerifyForm, hash: string | null, visitor: Visitor): Promise<void> {
    if (password === '') throw new AccountError('no_password')
    const { guesses, hasher } = this.#parts
    const guess = await guesses.count({ kind: 'link', id, address: visitor.address }, visitor.now)
    await requirePassword(hasher, { guess, password, hash }, 'wrong_password')
  }

  /** Changes the address of an account whose password was checked. E-mails count by session. */
  async changeEmail(text: string, { owner, session }: OwnSession, { now }: Visitor): Promise<'changed' | 'mailed'> {
    const { attempts, writer, mailer, sessions } = this.#parts
    const { account } = owner
    const email = readEmailAddress(text)
    if (mailer === null) {
      if (email === account.email) return 'changed'
      this.#checkReserved(email)
      await writer.changeEmail(account.id, email, false)
      await sessions.endSome(session, (id) => id !== session.sessionId)
      return 'changed'
    }
    const sender = session.sessionId
    await attempts.countMail({ kind: 'confirmation', recipient: email, sender, now })
    const needsNotice = email !== account.email && (await this.#countNotice(account, now))
    const found = await writer.find(email)
    const order = { email, found, needsNotice }
    this.#inBackground('the e-mail of a changed address', () => this.#mailChange(mailer, owner, order))
    return 'mailed'
  }

  /** Counts a notice to the current address. @returns false if the owner has received enough of them today */
  async #countNotice({ email, id }: Account, now: number): Promise<boolean> {
    try {
      await this.#parts.attempts.countMail({ kind: 'notice', recipient: email, sender: `notice:${id}`, now })
      return true
    } catch (error) {
      if (error instanceof AccountError && error.code === 'mails_used_up') return false
      throw error
    }
  }

  async #mailChange(mailer: Mailer, owner: FoundAccount, { email, found, needsNotice }: AddressMails): Promise<void> {
    const { tokens, publicUrl } = this.#parts
    const { id, email: former } = owner.account
    if (needsNotice) await mailer.send(former, buildAddressNoticeMail(publicUrl))
    if (found !== null && found.account.id !== id) return this.#mailExisting(mailer, email)
    const token = await tokens.issueAddress(owner, email)
    const mail = buildNewAddressMail(publicUrl, buildLink(publicUrl, 'verify', token), LINK_HOURS.verify)
    await mailer.send(email, mail)
  }

  /**
   * Without e-mail, nothing shows that an address belongs to the person who enters it, and the operator might later confirm the
   * account of another person.
   * @throws AccountError
   */
  #checkReserved(email: string): void {
    const { mailer, adminEmails } = this.#parts
    if (mailer === null && adminEmails.includes(email)) throw new AccountError('reserved_address')
  }

  /** @returns the hash of the invitation; null where none is needed. @throws AccountError */
  async #findInvite(token: string | null): Promise<string | null> {
    const { signUp, store } = this.#parts
    if (signUp === 'open') return null
    if (signUp === 'off') throw new AccountError('sign_up_off')
    const hash = hashInvite(token ?? '')
    if ((await store.findInvite(hash, new Date())) === null) throw new AccountError('invalid_invite')
    return hash
  }

  #inBackground(what: string, work: () => Promise<void>): void {
    const { background, calls } = this.#parts
    background.start(what, () => calls.run(work))
  }
}

function hasPassword(found: FoundAccount | null): boolean {
  return found !== null && found.passwordHash !== null
}
