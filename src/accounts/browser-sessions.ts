import { createHmac, timingSafeEqual } from 'node:crypto'
import { parseCookies } from 'better-auth/cookies'
import type { Account } from '../store/account-types.ts'
import { toAccount } from './account-writer.ts'
import { AccountError } from './accounts.ts'
import { type Auth, type AuthContext, FRESH_SESSION_MS } from './auth.ts'
import type { CurrentSession, KnownSession, LogIn, SessionInfo, Visitor } from './types.ts'

/** Maximum number of characters of a `User-Agent` that are stored. */
const MAX_USER_AGENT_LENGTH = 256

/** Sessions of browsers, and their cookies. */
export class BrowserSessions {
  readonly #auth: Auth
  readonly #context: AuthContext

  constructor(auth: Auth, context: AuthContext) {
    this.#auth = auth
    this.#context = context
  }

  /** The session of a request; null without a valid one, or if its account is suspended. */
  async find(visitor: Visitor): Promise<CurrentSession | null> {
    const token = this.#readToken(visitor)
    const found = token === null ? null : await this.#context.internalAdapter.findSession(token)
    if (found === null) return null
    // Only better-auth extends sessions and deletes expired ones. For any other session, its route would only repeat
    // the query.
    if (found.session.expiresAt.getTime() > Date.now() + FRESH_SESSION_MS) return toSession(found, [])
    const { response, headers } = await this.#auth.api.getSession({ headers: toHeaders(visitor), returnHeaders: true })
    return response === null ? null : toSession(response, headers.getSetCookie())
  }

  /** The token in the cookie of a session; null without one that better-auth has signed (HMAC-SHA256 in base64). */
  #readToken({ cookie = '' }: Visitor): string | null {
    const { authCookies, secret } = this.#context
    const value = parseCookies(cookie).get(authCookies.sessionToken.name) ?? ''
    const token = value.slice(0, Math.max(value.lastIndexOf('.'), 0))
    const expected = Buffer.from(`${token}.${createHmac('sha256', secret).update(token).digest('base64')}`)
    const actual = Buffer.from(value)
    return actual.length === expected.length && timingSafeEqual(actual, expected) ? token : null
  }

  /** @throws AccountError `not_logged_in` */
  async require(visitor: Visitor): Promise<CurrentSession> {
    const session = await this.find(visitor)
    if (session === null) throw new AccountError('not_logged_in')
    return session
  }

  /** Begins a session, and ends the one that the browser already has. @throws AccountError `suspended` */
  async start(account: Account, visitor: Visitor): Promise<LogIn> {
    if (account.suspendedAt !== null) throw new AccountError('suspended')
    const { response, headers } = await this.#auth.api.startSession({
      body: { userId: account.id },
      headers: toHeaders(visitor),
      returnHeaders: true,
    })
    if (response === null) throw new AccountError('not_logged_in') // The account was deleted in the meantime.
    return { account, cookies: headers.getSetCookie() }
  }

  /** Ends the session of a request. @returns values of `Set-Cookie` that remove its cookie */
  async end(visitor: Visitor): Promise<readonly string[]> {
    const { headers } = await this.#auth.api.signOut({ headers: toHeaders(visitor), returnHeaders: true })
    return headers.getSetCookie()
  }

  async list({ account, sessionId }: KnownSession): Promise<readonly SessionInfo[]> {
    const sessions = await this.#context.internalAdapter.listSessions(account.id, { onlyActiveSessions: true })
    return sessions
      .map(({ id, createdAt, expiresAt, userAgent }) => ({
        id,
        createdAt,
        expiresAt,
        userAgent: userAgent || null,
        isCurrent: id === sessionId,
      }))
      .sort((a, b) => Number(b.createdAt) - Number(a.createdAt))
  }

  /** Ends the sessions of an account that `isMeant` selects by their id. */
  async endSome({ account }: CurrentSession, isMeant: (id: string) => boolean): Promise<void> {
    const { adapter, internalAdapter } = this.#context
    const ids = (await internalAdapter.listSessions(account.id)).map(({ id }) => id).filter(isMeant)
    // By their ids: the listed tokens are hashes.
    if (ids.length > 0)
      await adapter.deleteMany({ model: 'session', where: [{ field: 'id', operator: 'in', value: ids }] })
  }

  async endAll(account: string): Promise<void> {
    await this.#context.internalAdapter.deleteUserSessions(account)
  }
}

/** @returns null if the account is suspended */
function toSession(
  { session, user }: { readonly session: { readonly id: string }; readonly user: Parameters<typeof toAccount>[0] },
  cookies: readonly string[],
): CurrentSession | null {
  const account = toAccount(user)
  return account.suspendedAt === null ? { account, sessionId: session.id, cookies } : null
}

function toHeaders({ cookie, userAgent }: Visitor): Headers {
  const headers = new Headers()
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT_LENGTH))
  return headers
}
