import type { Account } from '../store/account-types.ts'

/** A session of an account: one browser that is logged in. */
export interface SessionInfo {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
  /** User-Agent of the browser that logged in, cut to 256 characters. */
  readonly userAgent: string | null
  readonly isCurrent: boolean
}

/** The session that a request belongs to. */
export interface CurrentSession {
  readonly account: Account
  readonly sessionId: string
  /** Values of `Set-Cookie` to send with the response: the session was extended. */
  readonly cookies: readonly string[]
}

/** Data of the session that later queries of the same request need. */
export interface KnownSession {
  readonly account: Pick<Account, 'id'>
  readonly sessionId: string | null
}

/** The browser that a request comes from. */
export interface Visitor {
  /** The `Cookie` header. */
  readonly cookie: string | undefined
  /** The `User-Agent` header. */
  readonly userAgent: string | undefined
  /** The client's address, normalized as for rate limits (IPv6 by /64). */
  readonly address: string
  /** When the request arrived, in milliseconds since 1970. */
  readonly now: number
}

/** A session that begins with the response. */
export interface LogIn {
  readonly account: Account
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}
