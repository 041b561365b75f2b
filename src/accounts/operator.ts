import { randomBytes } from 'node:crypto'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS } from './link-tokens.ts'
import { buildLink, hashInvite, makeToken } from './links.ts'
import type { AccountParts } from './parts.ts'
import type { Account } from './types.ts'

type Parts = Pick<AccountParts, 'store' | 'publicUrl' | 'calls' | 'writer' | 'tokens' | 'hasher'>

/** What only the operator may do with accounts. Links are returned, not sent. */
export class Operator {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Creates an invitation. @returns the link to sign up with it, once */
  async invite(expiresAt: Date): Promise<string> {
    const token = makeToken()
    await this.#parts.store.createInvite({ hash: hashInvite(token), expiresAt })
    return buildLink(this.#parts.publicUrl, 'invite', token)
  }

  /**
   * Creates an account with a random password that is not stored readably: without one, the next sign-up with the address would get it.
   * @returns the account, and the link on which its owner chooses a password
   * @throws AccountError
   */
  create(form: { readonly name: string; readonly email: string }): Promise<{
    readonly account: Account
    readonly link: string
  }> {
    const { calls, writer, hasher } = this.#parts
    return calls.run(async () => {
      const passwordHash = await hasher.hash(randomBytes(32).toString('base64url'))
      const person = { name: readPersonName(form.name), email: readEmailAddress(form.email) }
      const account = await writer.create({ ...person, passwordHash, isVerified: false, invite: null })
      return { account, link: await this.#issueLink(account) }
    })
  }

  /** Makes a link that sets a new password, once. @throws AccountError if there is no such account */
  reset(account: Account): Promise<string> {
    return this.#parts.calls.run(() => this.#issueLink(account))
  }

  /** Marks the address of an account as confirmed. */
  verify(account: Account): Promise<void> {
    return this.#parts.calls.run(() => this.#parts.writer.setVerified(account.id))
  }

  async #issueLink({ id }: Account): Promise<string> {
    const token = await this.#parts.tokens.issueReset(id, LINK_HOURS.operator)
    return buildLink(this.#parts.publicUrl, 'reset', token)
  }
}
