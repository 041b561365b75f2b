import { createHash } from 'node:crypto'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { AccountWriter, FoundAccount } from './account-writer.ts'
import type { AuthContext } from './auth.ts'
import { makeToken } from './links.ts'

const HOUR_MS = 3_600_000

/** Lifetime of the links in hours. */
export const LINK_HOURS = { verify: 24, reset: 1, 'log-in': 1, operator: 168 } as const
/**
 * Lifetime of the last link to reset a password or to log in that an address receives in a day: until the next day at least, so
 * that its owner can use it when no other link is sent.
 */
export const LAST_LINK_HOURS = 24

/** A sign-up that waits for its link to be opened. */
export interface PendingSignUp {
  readonly kind: 'sign-up'
  readonly name: string
  readonly email: string
  readonly passwordHash: string
  /** Hash of the invitation; null where none is needed. */
  readonly invite: string | null
}

/** A new address that waits for its link to be opened. */
export interface PendingAddress {
  readonly kind: 'address'
  /** The account as `bindTo` describes it. */
  readonly bound: string
  readonly to: string
}

export type Pending = PendingSignUp | PendingAddress

/**
 * Describes an account together with its password and its address, by a hash. A link that contains it is void as soon as one
 * of them changes. The id is readable, because links are deleted with their account.
 */
function bindTo({ account: { id, email }, passwordHash }: FoundAccount): string {
  const stamp = createHash('sha256')
    .update(JSON.stringify([id, email, passwordHash]))
    .digest('hex')
  return `${id} ${stamp}`
}

/**
 * The tokens of links. They are stored as SHA-256 hashes, together with the account they are bound to or with an
 * encrypted pending request, so addresses without an account are not readable in the database.
 */
export class LinkTokens {
  readonly #context: AuthContext
  readonly #writer: Pick<AccountWriter, 'get'>

  constructor(context: AuthContext, writer: Pick<AccountWriter, 'get'>) {
    this.#context = context
    this.#writer = writer
  }

  /**
   * Makes a token that sets a new password for an account (`reset`), or allows a browser to log in to it (`log-in`), once, and until
   * its password or address changes.
   */
  issue(purpose: OwnerPurpose, found: FoundAccount, hours: number): Promise<string> {
    return this.#issue(purpose, bindTo(found), hours)
  }

  /** @returns the account of a token; null if the token is not valid */
  async find(purpose: OwnerPurpose, token: string): Promise<FoundAccount | null> {
    const bound = await this.#find(purpose, token)
    return bound === null ? null : this.findBound(bound)
  }

  /** Uses up a token. @returns false if it is no longer valid: of concurrent calls exactly one returns true */
  async use(purpose: OwnerPurpose, token: string): Promise<boolean> {
    return (await this.#context.internalAdapter.consumeVerificationValue(buildIdentifier(purpose, token))) !== null
  }

  /** Makes a token that changes the address of an account, until its password or address changes otherwise. */
  issueAddress(found: FoundAccount, to: string): Promise<string> {
    return this.issuePending({ kind: 'address', bound: bindTo(found), to })
  }

  /** @returns the account of a link; null if its password or its address has changed since */
  async findBound(bound: string): Promise<FoundAccount | null> {
    const found = await this.#writer.get(bound.split(' ', 1)[0])
    return found !== null && bindTo(found) === bound ? found : null
  }

  /** Makes a token that completes a pending request. */
  async issuePending(pending: Pending): Promise<string> {
    const data = JSON.stringify(pending)
    const value = await symmetricEncrypt({ key: this.#context.secretConfig, data })
    return this.#issue('verify', value, LINK_HOURS.verify)
  }

  /** @returns null if the token is not valid */
  async findPending(token: string): Promise<Pending | null> {
    const data = await this.#find('verify', token)
    if (data === null) return null
    try {
      return JSON.parse(await symmetricDecrypt({ key: this.#context.secretConfig, data })) as Pending
    } catch {
      return null // Encrypted with another AUTH_SECRET.
    }
  }

  deletePending(token: string): Promise<void> {
    return this.#context.internalAdapter.deleteVerificationByIdentifier(buildIdentifier('verify', token))
  }

  async #issue(purpose: Purpose, value: string, hours: number): Promise<string> {
    const token = makeToken()
    const expiresAt = new Date(Date.now() + hours * HOUR_MS)
    const identifier = buildIdentifier(purpose, token)
    await this.#context.internalAdapter.createVerificationValue({ identifier, value, expiresAt })
    return token
  }

  async #find(purpose: Purpose, token: string): Promise<string | null> {
    const found = await this.#context.internalAdapter.findVerificationValue(buildIdentifier(purpose, token))
    return found !== null && found.expiresAt > new Date() ? found.value : null
  }
}

/** What only the owner of an address may do. */
export type OwnerPurpose = 'reset' | 'log-in'
type Purpose = OwnerPurpose | 'verify'

function buildIdentifier(purpose: Purpose, token: string): string {
  return `${purpose}:${token.slice(0, 100)}`
}
