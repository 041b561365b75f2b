import type { Collection } from 'mongodb'
import { CHANGE_TIMEOUT_MS, isTakenSlot } from './errors.ts'
import type { AccountDocument, Collections, KeyDocument } from './schema.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/**
 * The slots that the keys of an account occupy, without transactions, which need a replica set. A unique index allows one key in a
 * slot. A change of an account, such as its suspension, first changes the account and then its keys; a new key is confirmed after it
 * was stored, so that one of the two sees the other.
 */
export class AccountSlots {
  readonly #keys: Collection<KeyDocument>
  readonly #accounts: Collection<AccountDocument>

  constructor({ keys, accounts }: Pick<Collections, 'keys' | 'accounts'>) {
    this.#keys = keys
    this.#accounts = accounts
  }

  /** The occupied slots of an account. */
  async list(account: string): Promise<number[]> {
    const filter = { account, revokedAt: null, slot: { $exists: true } }
    const found = await this.#keys.find(filter, { projection: { slot: 1 } }).toArray()
    return found.flatMap(({ slot }) => slot ?? [])
  }

  /** @returns the plan of an account; null if it does not exist, is suspended, or is being deleted */
  async findPlan(account: string): Promise<string | null> {
    const filter = { _id: account, suspendedAt: null, deletedAt: null }
    return (await this.#accounts.findOne(filter, { projection: { plan: 1 } }))?.plan ?? null
  }

  /**
   * Repeats a change until its slot is free.
   * @param findSlot returns the slot to try, or null for none
   * @param change occupies the slot. @returns whether it changed anything
   */
  async occupy(
    account: string,
    findSlot: () => Promise<number | null>,
    change: (slot: number) => Promise<boolean>,
  ): Promise<boolean> {
    for (;;) {
      const slot = await findSlot()
      if (slot === null) return false
      try {
        return await change(slot)
      } catch (error) {
        if (!isTakenSlot(error)) throw error
        await this.#freeRevoked(account)
      }
    }
  }

  /**
   * Gives a new key of an account the current plan of the account.
   * @returns false if the account was suspended or deleted meanwhile: the key must be removed
   */
  async confirm(id: string, account: string, plan: string): Promise<boolean> {
    for (let current = plan; ; ) {
      const found = await this.findPlan(account)
      if (found === null || found === current) return found !== null
      await this.#keys.updateOne({ _id: id }, { $set: { plan: found } }, LIMITED)
      current = found
    }
  }

  /** Nodes of version 1 do not free the slot of a key that they revoke. */
  async #freeRevoked(account: string): Promise<void> {
    const filter = { account, revokedAt: { $ne: null }, slot: { $exists: true } }
    await this.#keys.updateMany(filter, { $unset: { slot: 1 } }, LIMITED)
  }
}
