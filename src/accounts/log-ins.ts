import type { FoundAccount } from './account-writer.ts'
import { AccountError } from './accounts.ts'
import { parseEmailAddress, readEmailAddress } from './form-rules.ts'
import type { Guess, Guesser } from './guesses.ts'
import { LAST_LINK_HOURS, LINK_HOURS, type OwnerPurpose } from './link-tokens.ts'
import { buildLink } from './links.ts'
import type { Mail } from './mailer.ts'
import { buildLogInMail, buildResetMail } from './mails.ts'
import { listNetworks } from './networks.ts'
import type { AccountParts } from './parts.ts'
import { checkNotPersonal, checkPassword } from './password-rules.ts'
import { replacePassword } from './replace-password.ts'
import { requirePassword } from './require-password.ts'
import type { LogIn, Visitor } from './types.ts'

interface LogInForm {
  readonly email: string
  readonly password: string
  readonly link?: string | undefined
}

/** A log-in whose password was counted and not yet compared. */
interface CountedLogIn {
  readonly found: FoundAccount | null
  readonly guess: Guess
  /** The token of the link that the owner received; absent without a valid one. */
  readonly link?: string | undefined
}

/** The e-mails with a link that only the owner of an address may use. */
const OWNER_MAILS: Readonly<Record<OwnerPurpose, (service: string, link: string, hours: number) => Mail>> = {
  reset: buildResetMail,
  'log-in': buildLogInMail,
}

/** Log-ins, and the links of owners who cannot log in. */
export class LogIns {
  readonly #parts: AccountParts

  constructor(parts: AccountParts) {
    this.#parts = parts
  }

  async logIn(form: LogInForm, visitor: Visitor): Promise<LogIn> {
    const { writer, sessions, hasher, browsers, tokens } = this.#parts
    const { found, guess, link } = await this.#count(form, visitor)
    const hash = found?.passwordHash ?? null
    await requirePassword(hasher, { guess, password: form.password, hash }, 'wrong_login')
    if (found === null) throw new AccountError('wrong_login')
    const started = await sessions.start(found.account, visitor)
    // The password may have been changed after it was read, which ended all sessions but this one.
    if ((await writer.getPasswordHash(found.account.id)) !== hash) {
      await sessions.endAll(found.account.id)
      throw new AccountError('wrong_login')
    }
    if (link !== undefined) await tokens.use('log-in', link)
    return { ...started, cookies: [...started.cookies, ...browsers.remember(found, visitor)] }
  }

  /** Finds the account of a log-in and counts the guess. A stranger is counted before the store is read. */
  async #count({ email: text, link }: LogInForm, visitor: Visitor): Promise<CountedLogIn> {
    const { guesses, writer, browsers } = this.#parts
    const { address, now } = visitor
    const email = parseEmailAddress(text)
    if (email === null) {
      await guesses.countAddress(address, now)
      throw new AccountError('invalid_email')
    }
    const stranger: Guesser = { kind: 'stranger', address, email }
    if (link === undefined && !browsers.isCandidate(visitor)) {
      const guess = await guesses.count(stranger, now)
      return { guess, found: await writer.find(email) }
    }
    const found = await writer.find(email)
    const trusted = found === null ? null : await this.#recognize(found, link, visitor)
    const guess = await guesses.count(trusted ?? stranger, now)
    return { guess, found, ...(trusted?.kind === 'link' && { link }) }
  }

  /** @returns null if the browser has not shown that it belongs to the account, or has entered too many wrong passwords today */
  async #recognize(found: FoundAccount, link: string | undefined, visitor: Visitor): Promise<Guesser | null> {
    const { browsers, tokens, guesses } = this.#parts
    const { address, now } = visitor
    const linked = link === undefined ? null : await tokens.find('log-in', link)
    if (link !== undefined && linked?.account.id === found.account.id) return { kind: 'link', id: link, address }
    const browser = browsers.find(found, visitor)
    if (browser === null || (await guesses.isUsedUp(browser, now))) return null
    return { kind: 'browser', id: browser, address }
  }

  /** Sends a link to the owner of an address, if it has an account. Takes the same time if it has none. */
  async requestLink(purpose: OwnerPurpose, text: string, { address, now }: Visitor): Promise<void> {
    const { attempts, writer, mailer, background, calls, tokens, publicUrl } = this.#parts
    const email = readEmailAddress(text)
    if (mailer === null) return
    const { isLast } = await attempts.countMail({ kind: purpose, recipient: email, sender: address, now })
    const hours = isLast ? LAST_LINK_HOURS : LINK_HOURS[purpose]
    const found = await writer.find(email)
    const send = async (): Promise<void> => {
      if (found === null) return
      const link = buildLink(publicUrl, purpose, await tokens.issue(purpose, found, hours))
      await mailer.send(found.account.email, OWNER_MAILS[purpose](publicUrl, link, hours))
    }
    background.start(`the e-mail of a ${purpose}`, () => calls.run(send))
  }

  async resetPassword(
    { token, password }: { readonly token: string; readonly password: string },
    visitor: Visitor,
  ): Promise<readonly string[]> {
    const { attempts, tokens, hasher, browsers } = this.#parts
    checkPassword(password)
    await attempts.countVisit(visitor)
    const found = await tokens.find('reset', token)
    if (found === null) throw new AccountError('invalid_token')
    checkNotPersonal(password, found.account)
    const path = [...listNetworks(visitor.address), found.account.id]
    const passwordHash = await hasher.hash(password, { path, isTrusted: true })
    if (!(await tokens.use('reset', token))) throw new AccountError('invalid_token')
    if (!(await replacePassword(this.#parts, found, passwordHash))) throw new AccountError('invalid_token')
    return browsers.remember({ ...found, passwordHash }, visitor, found)
  }
}
