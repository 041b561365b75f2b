import type { FoundAccount, NewAccount } from './account-writer.ts'
import { AccountError } from './accounts.ts'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS, type PendingAddress, type PendingSignUp } from './link-tokens.ts'
import { buildLink, hashInvite } from './links.ts'
import type { Mailer } from './mailer.ts'
import { buildExistingAccountMail, buildFormerAddressMail, buildNewAddressMail, buildSignUpMail } from './mails.ts'
import type { AccountParts } from './parts.ts'
import { checkPassword } from './password-rules.ts'
import type { Account, CurrentSession, LogIn, Visitor } from './types.ts'

interface SignUpForm {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly invite: string | null
}

/** Sign-ups and changed addresses, and the links that confirm both. */
export class SignUps {
  readonly #parts: AccountParts

  constructor(parts: AccountParts) {
    this.#parts = parts
  }

  async register(form: SignUpForm, visitor: Visitor): Promise<LogIn | 'mailed'> {
    const { attempts, writer, hasher, sessions, mailer } = this.#parts
    const name = readPersonName(form.name)
    const email = readEmailAddress(form.email)
    checkPassword(form.password)
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

  async verify(token: string, visitor: Visitor): Promise<LogIn> {
    const { attempts, tokens, sessions } = this.#parts
    await attempts.countVisit(visitor)
    const pending = await tokens.findPending(token)
    if (pending === null) throw new AccountError('invalid_token')
    const account =
      pending.kind === 'sign-up' ? await this.#completeSignUp(pending) : await this.#changeAddress(pending)
    // Deleted last, so that an interrupted request can be repeated. A link that is opened twice finds the work done.
    await tokens.deletePending(token)
    return sessions.start(account, visitor)
  }

  async #completeSignUp({ kind, ...request }: PendingSignUp): Promise<Account> {
    try {
      return await this.#parts.writer.create({ ...request, isVerified: true })
    } catch (error) {
      const isTaken = error instanceof AccountError && error.code === 'address_taken'
      throw isTaken ? new AccountError('invalid_token') : error
    }
  }

  async #changeAddress({ account: id, from, to }: PendingAddress): Promise<Account> {
    const { writer, mailer, publicUrl } = this.#parts
    const account = await writer.get(id)
    if (account === null || account.email !== from) throw new AccountError('invalid_token')
    if (account.suspendedAt !== null) throw new AccountError('suspended')
    await writer.changeEmail(id, to, true)
    if (mailer !== null && from !== to)
      this.#inBackground('the e-mail to a former address', () => mailer.send(from, buildFormerAddressMail(publicUrl)))
    return { ...account, email: to, isVerified: true }
  }

  /** Changes the address of an account whose password was checked. */
  async changeEmail(text: string, { account }: CurrentSession, visitor: Visitor): Promise<'changed' | 'mailed'> {
    const { attempts, writer, mailer } = this.#parts
    const email = readEmailAddress(text)
    if (mailer === null) {
      if (email !== account.email) await writer.changeEmail(account.id, email, false)
      return 'changed'
    }
    await attempts.countMail(visitor, email)
    const found = await writer.find(email)
    this.#inBackground('the e-mail of a changed address', () => this.#mailChange(mailer, account, { email, found }))
    return 'mailed'
  }

  async #mailChange(
    mailer: Mailer,
    account: Account,
    { email, found }: { readonly email: string; readonly found: FoundAccount | null },
  ): Promise<void> {
    if (found !== null && found.account.id !== account.id) return this.#mailExisting(mailer, email)
    const { tokens, publicUrl } = this.#parts
    const token = await tokens.issuePending({ kind: 'address', account: account.id, from: account.email, to: email })
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
