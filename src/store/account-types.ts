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
  /** The result, and whether a browser was asked to run the page. */
  readonly entry: CacheEntry & { readonly isRendered?: true }
}

/** A scan in the list of an account's scans: all but its result. */
export type ScanHead = Omit<StoredScan, 'entry'>
