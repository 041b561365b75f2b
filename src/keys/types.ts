/** The stored part of one secret of a key. Only the holder of the key has the secret itself. */
export interface KeySecret {
  /** HMAC-SHA-256 of the secret with the pepper as its key, 64 hexadecimal digits. */
  readonly hash: string
  /** The last four characters of the secret, by which its holder recognizes it. */
  readonly lastFour: string
  /** The secret is invalid from this time on; null if it never expires. */
  readonly expiresAt: Date | null
  /** Id of the pepper, see `identifyPepper`; absent for the pepper that the store was first opened with. */
  readonly pepper?: string
}

/** An API key. Its id, plan and slot stay the same when its secret is rotated. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly email: string
  /** Name of a plan. */
  readonly plan: string
  /** API revision that the key is pinned to; null for the default of the service. */
  readonly revision: 1 | 2 | null
  /** Id of the account that the key belongs to; null for a key of the operator's that has no account. */
  readonly account: string | null
  /**
   * Id under which its requests are counted, against the rate limit and the quota: that of its slot, which the store sets; the key's
   * own id if it has no account.
   */
  readonly counter: string
  readonly createdAt: Date
  readonly revokedAt: Date | null
  /** When the key's account was suspended; null if it is not. A suspended key is rejected like a revoked one. */
  readonly suspendedAt: Date | null
  /** From this time on the key is rejected like a revoked one; null if it never expires. */
  readonly expiresAt: Date | null
  /** Requests per minute of this key; null for those of its plan. */
  readonly perMinute: number | null
  /** Charged requests per calendar month of this key; null for those of its plan. */
  readonly perMonth: number | null
  /** Newest first. */
  readonly secrets: readonly KeySecret[]
}
