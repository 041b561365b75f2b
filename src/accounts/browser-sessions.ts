import { toAccount } from './account-writer.ts'
import { AccountError } from './accounts.ts'
import type { Auth, AuthContext } from './auth.ts'
import type { Account, CurrentSession, LogIn, SessionInfo, Visitor } from './types.ts'

/** Characters of a `User-Agent` that are stored. */
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
    const { response, headers } = await this.#auth.api.getSession({ headers: toHeaders(visitor), returnHeaders: true })
    if (response === null) return null
    const account = toAccount(response.user)
    if (account.suspendedAt !== null) return null
    return { account, sessionId: response.session.id, cookies: headers.getSetCookie() }
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
    if (response === null) throw new AccountError('not_logged_in') // The account was deleted in between.
    return { account, cookies: headers.getSetCookie() }
  }

  /** Ends the session of a request. @returns values of `Set-Cookie` that remove its cookie */
  async end(visitor: Visitor): Promise<readonly string[]> {
    const { headers } = await this.#auth.api.signOut({ headers: toHeaders(visitor), returnHeaders: true })
    return headers.getSetCookie()
  }

  async list({ account, sessionId }: CurrentSession): Promise<readonly SessionInfo[]> {
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
    const { internalAdapter } = this.#context
    for (const { id, token } of await internalAdapter.listSessions(account.id))
      if (isMeant(id)) await internalAdapter.deleteSession(token)
  }

  async endAll(account: string): Promise<void> {
    await this.#context.internalAdapter.deleteUserSessions(account)
  }
}

function toHeaders({ cookie, userAgent }: Visitor): Headers {
  const headers = new Headers()
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (userAgent !== undefined) headers.set('user-agent', userAgent.slice(0, MAX_USER_AGENT_LENGTH))
  return headers
}
