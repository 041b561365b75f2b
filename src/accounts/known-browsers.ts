import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookies } from 'better-auth/cookies'
import { makeRandomText } from '../keys/key.ts'
import type { FoundAccount } from './account-writer.ts'
import type { Visitor } from './types.ts'

/** Lifetime of the cookie, the longest that browsers allow. Each log-in begins it again. */
const LIFETIME_MS = 400 * 86_400_000
/** Accounts that one browser remembers. Another one replaces the one whose log-in is longest ago. */
const MAX_ACCOUNTS = 4
const ID_LENGTH = 16
/** Random id, time of the log-in in base 36, signature. */
const ENTRY = /^[0-9A-Za-z]{16}\.([0-9a-z]{1,10})\.[\w-]{43}$/

type KnownAccount = Pick<FoundAccount, 'passwordHash'> & { readonly account: { readonly id: string } }

/**
 * Recognizes browsers that have logged in before, by a signed cookie that outlives the session. It opens nothing: a known browser
 * still needs the password, but strangers cannot use up its attempts. An entry is bound to the account and to its password, so it
 * is worthless after a change of the password.
 */
export class KnownBrowsers {
  readonly #secret: string
  readonly #name: string
  readonly #attributes: string

  constructor({ secret, publicUrl }: { readonly secret: string; readonly publicUrl: string }) {
    const isSecure = publicUrl.startsWith('https:')
    this.#secret = secret
    this.#name = `${isSecure ? '__Secure-' : ''}siteprint.browser`
    this.#attributes = `Path=/; HttpOnly; ${isSecure ? 'Secure; ' : ''}SameSite=Lax`
  }

  /** Whether a browser has the cookie, valid or not. */
  isCandidate(visitor: Pick<Visitor, 'cookie'>): boolean {
    return this.#readEntries(visitor).length > 0
  }

  /** The id of a browser that has logged in to an account before; null if it has not. */
  find(known: KnownAccount, visitor: Pick<Visitor, 'cookie' | 'now'>): string | null {
    const entry = this.#readEntries(visitor).find((one) => this.#isValid(one, known, visitor.now))
    return entry === undefined ? null : entry.slice(0, ID_LENGTH)
  }

  /**
   * Remembers that a browser has logged in.
   * @param former the account before its password was changed, whose entry is replaced
   * @returns values of `Set-Cookie`; none for an account without a password
   */
  remember(known: KnownAccount, visitor: Pick<Visitor, 'cookie' | 'now'>, former = known): readonly string[] {
    if (known.passwordHash === null) return []
    const isOwn = (one: string): boolean => [known, former].some((of) => this.#isValid(one, of, visitor.now))
    const entries = this.#readEntries(visitor)
    const id = entries.find(isOwn)?.slice(0, ID_LENGTH) ?? makeRandomText(ID_LENGTH)
    const entry = this.#sign(id, visitor.now.toString(36), known)
    return [this.#format([entry, ...entries.filter((one) => !isOwn(one))])]
  }

  /** Forgets an account that is deleted. @returns values of `Set-Cookie` */
  forget(known: KnownAccount, visitor: Pick<Visitor, 'cookie' | 'now'>): readonly string[] {
    const others = this.#readEntries(visitor).filter((one) => !this.#isValid(one, known, visitor.now))
    return [this.#format(others)]
  }

  /** Without an entry the cookie is removed. */
  #format(entries: readonly string[]): string {
    const lifetimeS = entries.length === 0 ? 0 : LIFETIME_MS / 1000
    return `${this.#name}=${entries.slice(0, MAX_ACCOUNTS).join('~')}; Max-Age=${lifetimeS}; ${this.#attributes}`
  }

  #readEntries({ cookie = '' }: Pick<Visitor, 'cookie'>): readonly string[] {
    const value = parseCookies(cookie).get(this.#name) ?? ''
    return value.split('~', MAX_ACCOUNTS).filter((entry) => ENTRY.test(entry))
  }

  #isValid(entry: string, known: KnownAccount, now: number): boolean {
    const [id, time] = entry.split('.')
    if (known.passwordHash === null || now - Number.parseInt(time, 36) > LIFETIME_MS) return false
    return timingSafeEqual(Buffer.from(entry), Buffer.from(this.#sign(id, time, known)))
  }

  #sign(id: string, time: string, { account, passwordHash }: KnownAccount): string {
    const text = JSON.stringify(['known browser', id, time, account.id, passwordHash])
    return `${id}.${time}.${createHmac('sha256', this.#secret).update(text).digest('base64url')}`
  }
}
