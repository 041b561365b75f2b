import { createHash } from 'node:crypto'
import type { Account } from '../store/account-types.ts'
import type { AccountStore } from '../store/types.ts'
import { AccountError } from './accounts.ts'
import type { AuthContext } from './auth.ts'
import { DuplicateError } from './auth-calls.ts'
import { listSpellings } from './form-rules.ts'

/** A row of better-auth's model `user`. */
type User = NonNullable<Awaited<ReturnType<AuthContext['internalAdapter']['findUserById']>>>

/** A row with the additional fields. */
type StoredAccount = User & { readonly plan?: unknown; readonly suspendedAt?: unknown }

/** An account and the hash of its password; null if it has none, because its sign-up was interrupted. */
export interface FoundAccount {
  readonly account: Account
  readonly passwordHash: string | null
}

/** The values of a new account. */
export interface NewAccount {
  readonly name: string
  readonly email: string
  readonly passwordHash: string
  readonly isVerified: boolean
  /** Hash of the invitation; null where none is needed. */
  readonly invite: string | null
}

/** How long the claim of an invitation is kept if its sign-up was interrupted. */
const CLAIM_MS = 365 * 86_400_000
/** better-auth's provider id of a log-in with a password. */
const PROVIDER = 'credential'

/** Reads a row of better-auth as an account. */
export function toAccount({ id, email, name, emailVerified, createdAt, ...rest }: User): Account {
  const { plan, suspendedAt } = rest as Partial<StoredAccount>
  return {
    id,
    email,
    name,
    isVerified: emailVerified,
    plan: String(plan),
    createdAt,
    suspendedAt: suspendedAt instanceof Date ? suspendedAt : null,
  }
}

/** Finds, creates and changes accounts and their passwords. Every step can be repeated after a crash or a failure of the store. */
export class AccountWriter {
  readonly #context: AuthContext
  readonly #store: Pick<AccountStore, 'findInvite' | 'useInvite' | 'setKeyEmails'>

  constructor(context: AuthContext, store: Pick<AccountStore, 'findInvite' | 'useInvite' | 'setKeyEmails'>) {
    this.#context = context
    this.#store = store
  }

  async find(email: string): Promise<FoundAccount | null> {
    const { internalAdapter } = this.#context
    const all = listSpellings(email).map((one) => internalAdapter.findUserByEmail(one, { includeAccounts: true }))
    const found = (await Promise.all(all)).find((one) => one !== null)
    if (found === undefined) return null
    const credential = found.accounts.find(({ providerId }) => providerId === PROVIDER)
    return { account: toAccount(found.user), passwordHash: credential?.password ?? null }
  }

  async get(id: string): Promise<FoundAccount | null> {
    const user = await this.#context.internalAdapter.findUserById(id)
    return user === null ? null : { account: toAccount(user), passwordHash: await this.getPasswordHash(id) }
  }

  /** @returns null if the account has no password */
  async getPasswordHash(id: string): Promise<string | null> {
    return (await this.#context.internalAdapter.findCredentialAccount(id))?.password ?? null
  }

  /**
   * Creates an account with its password. Of concurrent calls with one address, or with one invitation, exactly one succeeds. An
   * account whose sign-up was interrupted has no password, and belongs to the next sign-up with its address.
   * @throws AccountError `address_taken`, `invalid_invite`
   */
  async create({ invite, ...account }: NewAccount): Promise<Account> {
    if (invite !== null) await this.#claimInvite(invite, account.email)
    const user = await this.#findOrCreate(account)
    try {
      await this.#addPassword(user.id, account.passwordHash)
    } catch (error) {
      throw error instanceof DuplicateError ? new AccountError('address_taken') : error
    }
    const { name, isVerified } = account
    const isSame = user.name === name && user.emailVerified === isVerified
    const created = isSame ? user : await this.#update(user.id, { name, emailVerified: isVerified })
    if (invite !== null) await this.#useInvite(invite)
    return toAccount(created ?? user)
  }

  /**
   * Replaces the password of an account, which may have none.
   * @param former hash of the password that is replaced
   * @returns false if the password has changed in the meantime; the new one is kept
   */
  async replacePassword(id: string, former: string | null, passwordHash: string): Promise<boolean> {
    if (former !== null) return this.#updatePassword(id, former, passwordHash)
    try {
      await this.#addPassword(id, passwordHash)
      return true
    } catch (error) {
      if (error instanceof DuplicateError) return false
      throw error
    }
  }

  async #updatePassword(id: string, former: string, password: string): Promise<boolean> {
    const where = [
      { field: 'userId', value: id },
      { field: 'providerId', value: PROVIDER },
      { field: 'password', value: former },
    ]
    const update = { password, updatedAt: new Date() }
    return (await this.#context.adapter.updateMany({ model: 'account', where, update })) > 0
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#update(id, { name })
  }

  /** Changes the address of an account and the contact address of its keys. @throws AccountError `address_taken` */
  async changeEmail(id: string, email: string, isVerified: boolean): Promise<void> {
    const other = await this.#findOtherSpelling(email)
    if (other !== null && other.id !== id) throw new AccountError('address_taken')
    try {
      await this.#update(id, { email, emailVerified: isVerified })
    } catch (error) {
      throw error instanceof DuplicateError ? new AccountError('address_taken') : error
    }
    await this.#store.setKeyEmails(id, email)
  }

  #update(id: string, change: Partial<Pick<User, 'name' | 'email' | 'emailVerified'>>): Promise<User | null> {
    return this.#context.internalAdapter.updateUser<User>(id, change)
  }

  /** Finds the account that an earlier version has stored with the same address in another spelling. */
  async #findOtherSpelling(email: string): Promise<User | null> {
    const [, other] = listSpellings(email)
    if (other === undefined) return null
    return (await this.#context.internalAdapter.findUserByEmail(other))?.user ?? null
  }

  async #findOrCreate({ email, name, isVerified }: Omit<NewAccount, 'invite'>): Promise<User> {
    const other = await this.#findOtherSpelling(email)
    if (other !== null) return other
    try {
      const user = { email, name, emailVerified: isVerified }
      return await this.#context.internalAdapter.createUser(user, { method: 'email-password' })
    } catch (error) {
      if (!(error instanceof DuplicateError)) throw error
      const found = await this.#context.internalAdapter.findUserByEmail(email)
      if (found === null) throw new AccountError('address_taken') // The account was deleted or changed in the meantime.
      return found.user
    }
  }

  /** The password gets the id of the account, so the database rejects a second one. */
  async #addPassword(id: string, password: string): Promise<void> {
    await this.#context.internalAdapter.createAccount({
      id,
      userId: id,
      accountId: id,
      providerId: PROVIDER,
      password,
    })
  }

  /**
   * Claims an invitation for an address. The claim is permanent: if the sign-up is interrupted, the same address can repeat it,
   * and no other address can use the invitation.
   */
  async #claimInvite(invite: string, email: string): Promise<void> {
    const { internalAdapter } = this.#context
    const identifier = `invite:${invite}`
    const value = createHash('sha256').update(email).digest('hex')
    const expiresAt = new Date(Date.now() + CLAIM_MS)
    const isClaimed = await internalAdapter
      .reserveVerificationValue({ identifier, value, expiresAt })
      .catch((error: unknown) => {
        // Another sign-up has claimed the invitation and used it up in the meantime.
        if (error instanceof DuplicateError) return false
        throw error
      })
    if (!isClaimed && (await internalAdapter.findVerificationValue(identifier))?.value !== value)
      throw new AccountError('invalid_invite')
    // Read after the claim, because another sign-up may have used the invitation, and its claim, in the meantime.
    if ((await this.#store.findInvite(invite, new Date())) !== null) return
    await internalAdapter.deleteVerificationByIdentifier(identifier)
    throw new AccountError('invalid_invite')
  }

  /** Deletes the invitation first: without its claim it could be used again. */
  async #useInvite(invite: string): Promise<void> {
    await this.#store.useInvite(invite, new Date())
    await this.#context.internalAdapter.deleteVerificationByIdentifier(`invite:${invite}`)
  }
}
