import type { CacheEntry } from '../coordination/types.ts'

/** The account of a person, who owns API keys. */
export interface Account {
  readonly id: string
  /** Lower case. */
  readonly email: string
  readonly name: string
  /** Whether the owner has shown that the address is theirs: by a link in an e-mail, or confirmed by the operator. */
  readonly isVerified: boolean
  /** Name of a plan. It applies to every key of the account. */
  readonly plan: string
  readonly createdAt: Date
  /** When the account was suspended; null if it is not. */
  readonly suspendedAt: Date | null
}

/** An account in the operator's list. */
export interface AccountSummary extends Account {
  /** Keys that are not revoked. */
  readonly keys: number
  /** Requests charged to all its keys in the month of the query. */
  readonly used: number
}

/** Permission to sign up where sign-up is by invitation. */
export interface Invite {
  /** SHA-256 of the token in the link, hexadecimal. */
  readonly hash: string
  readonly expiresAt: Date
}

/** A scan that an account made in the portal. */
export interface StoredScan {
  /** Random, part of the URL of the page that shows it. */
  readonly id: string
  readonly account: string
  /** The URL as submitted. */
  readonly url: string
  /** Name of the builder; null if none was found. */
  readonly builder: string | null
  readonly at: Date
  readonly entry: CacheEntry
}

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
