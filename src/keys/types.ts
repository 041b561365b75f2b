/** One secret of a key. The secret itself is known to its holder alone. */
export interface KeySecret {
  /** HMAC-SHA-256 of the secret under the pepper, 64 hexadecimal digits. */
  readonly hash: string
  /** The last four characters of the secret, so that its holder can tell it. */
  readonly lastFour: string
  /** From then on it is worth nothing; null for as long as the key lives. */
  readonly expiresAt: Date | null
}

/** An API key: what belongs to its id stays when its secret changes. */
export interface Key {
  readonly id: string
  readonly name: string
  readonly email: string
  /** Name of a plan. */
  readonly plan: string
  /** The revision of the interface that the key is pinned to; null for the service's. */
  readonly revision: 1 | 2 | null
  readonly createdAt: Date
  readonly revokedAt: Date | null
  /** The newest first. */
  readonly secrets: readonly KeySecret[]
}
