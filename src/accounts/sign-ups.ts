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
import type { AccountParts } from './parts.ts'
import { checkNotPersonal, checkPassword } from './password-rules.ts'
import { type PasswordToCheck, requirePassword } from './require-password.ts'
import type { Account, LogIn, Visitor } from './types.ts'

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
    const { attempts, writer, hasher, sessions, mailer } = this.#parts
    const name = readPersonName(form.name)
    const email = readEmailAddress(form.email)
    checkPassword(form.password)
    checkNotPersonal(form.password, { name, email })
    await attempts.countVisit(visitor)
    const invite = await this.#findInvite(form.invite)
    if (mailer !== null) await attempts.countMail(visitor, email)
    const found = await writer.find(email)
    if (mailer === null && hasPassword(found)) throw new AccountError('address_taken')
    const request = { name, email, passwordHash: await hasher.hash(form.password), invite }
    if (mailer === null) return sessions.start(await writer.create({ ...request, isVerified: false }), visitor)
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
    const { attempts, tokens, sessions } = this.#parts
    await attempts.countVisit(visitor)
    const pending = await tokens.findPending(token)
    if (pending === null) throw new AccountError('invalid_token')
    const account =
      pending.kind === 'sign-up'
        ? await this.#completeSignUp(pending, password, visitor)
        : await this.#changeAddress(pending, password, visitor)
    // Deleted last, so that an interrupted request can be repeated. Opening a link a second time changes nothing.
    await tokens.deletePending(token)
    return sessions.start(account, visitor)
  }

  async discard(token: string, visitor: Visitor): Promise<void> {
    await this.#parts.attempts.countVisit(visitor)
    await this.#parts.tokens.deletePending(token)
  }

  async #completeSignUp({ kind, ...request }: PendingSignUp, password: string, visitor: Visitor): Promise<Account> {
    await this.#requirePassword({ email: request.email, password, hash: request.passwordHash }, visitor)
    try {
      return await this.#parts.writer.create({ ...request, isVerified: true })
    } catch (error) {
      const isTaken = error instanceof AccountError && error.code === 'address_taken'
      throw isTaken ? new AccountError('invalid_token') : error
    }
  }

  async #changeAddress({ bound, to }: PendingAddress, password: string, visitor: Visitor): Promise<Account> {
    const { tokens, sessions, writer, mailer, publicUrl } = this.#parts
    const found = await tokens.findBound(bound)
    if (found === null) throw new AccountError('invalid_token')
    const { account, passwordHash: hash } = found
    const from = account.email
    const session = await sessions.find(visitor)
    if (session?.account.id !== account.id) await this.#requirePassword({ email: from, password, hash }, visitor)
    if (account.suspendedAt !== null) throw new AccountError('suspended')
    await writer.changeEmail(account.id, to, true)
    if (mailer !== null && from !== to)
      this.#inBackground('the e-mail to a former address', () => mailer.send(from, buildFormerAddressMail(publicUrl)))
    return { ...account, email: to, isVerified: true }
  }

  /** A missing password does not count as an attempt: the form may not have asked for it. */
  #requirePassword(check: PasswordToCheck, visitor: Visitor): Promise<void> {
    if (check.password === '') throw new AccountError('no_password')
    return requirePassword(this.#parts, check, visitor, 'wrong_password')
  }

  /** Changes the address of an account whose password was checked. */
  async changeEmail(text: string, owner: FoundAccount, visitor: Visitor): Promise<'changed' | 'mailed'> {
    const { attempts, writer, mailer } = this.#parts
    const { account } = owner
    const email = readEmailAddress(text)
    if (mailer === null) {
      if (email !== account.email) await writer.changeEmail(account.id, email, false)
      return 'changed'
    }
    await attempts.countMail(visitor, email)
    const found = await writer.find(email)
    this.#inBackground('the e-mail of a changed address', () => this.#mailChange(mailer, owner, { email, found }))
    return 'mailed'
  }

  async #mailChange(
    mailer: Mailer,
    owner: FoundAccount,
    { email, found }: { readonly email: string; readonly found: FoundAccount | null },
  ): Promise<void> {
    const { tokens, publicUrl } = this.#parts
    const { id, email: former } = owner.account
    if (email !== former) await mailer.send(former, buildAddressNoticeMail(publicUrl))
    if (found !== null && found.account.id !== id) return this.#mailExisting(mailer, email)
    const token = await tokens.issueAddress(owner, email)
    const mail = buildNewAddressMail(publicUrl, buildLink(publicUrl, 'verify', token), LINK_HOURS.verify)
    await mailer.send(email, mail)
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
