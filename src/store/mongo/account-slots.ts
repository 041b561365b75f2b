import type { Collection } from 'mongodb'
import { makeRandomText } from '../../keys/key.ts'
import { findFreeSlot } from '../free-slot.ts'
import type { KeySlot } from '../types.ts'
import {
  type AccountDocument,
  type Collections,
  type KeyDocument,
  ONE_BATCH,
  type SlotDocument,
} from './collections.ts'
import { CHANGE_TIMEOUT_MS, isDuplicate, isTakenSlot } from './errors.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/**
 * The slots of accounts, without transactions, which need a replica set. A unique index of the keys allows one key in a slot, and
 * only this key creates the document that contains the slot's counter. A change of an account, such as its suspension, first changes
 * the account and then its keys; a new key is confirmed after it was stored, so that one of the two sees the other.
 */
export class AccountSlots {
  readonly #keys: Collection<KeyDocument>
  readonly #slots: Collection<SlotDocument>
  readonly #accounts: Collection<AccountDocument>

  constructor({ keys, slots, accounts }: Pick<Collections, 'keys' | 'slots' | 'accounts'>) {
    this.#keys = keys
    this.#slots = slots
    this.#accounts = accounts
  }

  /** The slots of an account, or of all accounts, that have had a key. */
  async list(account?: string): Promise<KeySlot[]> {
    const found = this.#slots.find(account === undefined ? {} : { account }, { projection: { _id: 0 }, ...ONE_BATCH })
    return await found.sort({ account: 1, slot: 1 }).toArray()
  }

  /** The occupied slots of an account. */
  async listOccupied(account: string): Promise<number[]> {
    const filter = { account, revokedAt: null, slot: { $exists: true } }
    const found = await this.#keys.find(filter, { projection: { slot: 1 } }).toArray()
    return found.flatMap(({ slot }) => slot ?? [])
  }

  /** Finds the lowest slot that has never had a key. */
  async findUnused(account: string): Promise<number> {
    const known = (await this.list(account)).map(({ slot }) => slot)
    return findFreeSlot([...known, ...(await this.listOccupied(account))])
  }

  /** Chooses the counter that a new key gives to a slot that has none: the key's id. */
  async chooseCounter(account: string, key: string): Promise<string> {
    // A form that is sent again after its key was deleted creates a key with the id of the former one.
    return (await this.#slots.findOne({ account, counter: key })) === null ? key : `slot_${makeRandomText(16)}`
  }

  /**
   * Finds the counter of a slot, to be called for the key that occupies it.
   * @param counter is given to the slot if it has none yet
   */
  takeCounter(account: string, slot: number, counter: string): Promise<string> {
    return takeCounter(this.#slots, { account, slot, counter })
  }

  async setCounter(key: string, account: string, counter: string): Promise<void> {
    await this.#keys.updateOne({ _id: key, account }, { $set: { counter } }, LIMITED)
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
   * @returns the occupied slot; null for none
   */
  async occupy(
    account: string,
    findSlot: () => Promise<number | null>,
    change: (slot: number) => Promise<boolean>,
  ): Promise<number | null> {
    for (;;) {
      const slot = await findSlot()
      if (slot === null) return null
      try {
        return (await change(slot)) ? slot : null
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

/** Stores the counter of a slot unless it has one. @returns the stored counter */
export async function takeCounter(
  slots: Collection<SlotDocument>,
  { account, slot, counter }: KeySlot,
): Promise<string> {
  const _id = `${account}:${slot}`
  try {
    await slots.updateOne({ _id }, { $setOnInsert: { account, slot, counter } }, { ...LIMITED, upsert: true })
  } catch (error) {
    if (!isDuplicate(error)) throw error // Another process has just stored one.
  }
  return (await slots.findOne({ _id }))?.counter ?? counter
}
