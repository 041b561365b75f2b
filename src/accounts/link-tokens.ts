import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { AuthContext } from './auth.ts'
import { makeToken } from './links.ts'

const HOUR_MS = 3_600_000

/** Hours for which the links are valid. */
export const LINK_HOURS = { verify: 24, reset: 1, operator: 168 } as const

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
  readonly account: string
  /** The address at the time of the request. The link is void after another change. */
  readonly from: string
  readonly to: string
}

export type Pending = PendingSignUp | PendingAddress

/**
 * The tokens of links. Stored by their SHA-256, together with the id of an account, or with a pending request that is encrypted,
 * so that addresses without an account are not readable in the database.
 */
export class LinkTokens {
  readonly #context: AuthContext

  constructor(context: AuthContext) {
    this.#context = context
  }

  /** Makes a token that sets a new password for an account, once. */
  issueReset(account: string, hours: number): Promise<string> {
    return this.#issue('reset', account, hours)
  }

  /** @returns the id of the account; null if the token is not valid */
  findReset(token: string): Promise<string | null> {
    return this.#find('reset', token)
  }

  /** Uses up a token. @returns false if it is not valid any more: of concurrent calls exactly one returns true */
  async useReset(token: string): Promise<boolean> {
    return (await this.#context.internalAdapter.consumeVerificationValue(buildIdentifier('reset', token))) !== null
  }

  /** Deletes all tokens that set a password for an account. */
  async deleteResets(account: string): Promise<void> {
    const where = [{ field: 'value', value: account }]
    await this.#context.adapter.deleteMany({ model: 'verification', where })
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

type Purpose = 'reset' | 'verify'

function buildIdentifier(purpose: Purpose, token: string): string {
  return `${purpose}:${token.slice(0, 100)}`
}
