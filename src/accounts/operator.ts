import type { Account } from '../store/account-types.ts'
import type { FoundAccount } from './account-writer.ts'
import { readEmailAddress, readPersonName } from './form-rules.ts'
import { LINK_HOURS } from './link-tokens.ts'
import { buildLink, hashInvite, makeToken } from './links.ts'
import type { AccountParts } from './parts.ts'

type OperatorParts = Pick<AccountParts, 'store' | 'publicUrl' | 'calls' | 'writer' | 'tokens' | 'hasher'>

/** What only the operator may do with accounts. Links are returned, not sent. */
export class AccountOperator {
  readonly #parts: OperatorParts

  constructor(parts: OperatorParts) {
    this.#parts = parts
  }

  /** Creates an invitation. @returns the link to sign up with it, once */
  async invite(expiresAt: Date): Promise<string> {
    const token = makeToken()
    await this.#parts.store.createInvite({ hash: hashInvite(token), expiresAt })
    return buildLink(this.#parts.publicUrl, 'invite', token)
  }

  /**
   * Creates an account with a random password, of which only the hash is stored. Without a password, the next sign-up
   * with the address would get the account.
   * @returns the account, and the link on which its owner chooses a password
   * @throws AccountError
   */
  create(form: { readonly name: string; readonly email: string }): Promise<{
    readonly account: Account
    readonly link: string
  }> {
    const { calls, writer, hasher } = this.#parts
    return calls.run(async () => {
      const passwordHash = await hasher.hash(makeToken())
      const person = { name: readPersonName(form.name), email: readEmailAddress(form.email) }
      const account = await writer.create({ ...person, passwordHash, isVerified: false, invite: null })
      return { account, link: await this.#issueLink({ account, passwordHash }) }
    })
  }

  /** Makes a link that sets a new password, once. It is void after a change of the password or the address. */
  reset(account: Account): Promise<string> {
    const { calls, writer } = this.#parts
    return calls.run(async () => this.#issueLink({ account, passwordHash: await writer.getPasswordHash(account.id) }))
  }

  async #issueLink(found: FoundAccount): Promise<string> {
    const token = await this.#parts.tokens.issue('reset', found, LINK_HOURS.operator)
    return buildLink(this.#parts.publicUrl, 'reset', token)
  }
}
