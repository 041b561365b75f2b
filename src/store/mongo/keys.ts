import type { Collection } from 'mongodb'
import type { Key, KeySecret } from '../../keys/types.ts'
import { findFreeSlot } from '../free-slot.ts'
import type { KeyChange, KeySlot, KeyStore, PepperCount, Rotation } from '../types.ts'
import { AccountSlots } from './account-slots.ts'
import { type Collections, type KeyDocument, ONE_BATCH } from './collections.ts'
import { CHANGE_TIMEOUT_MS, isTakenId } from './errors.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/** The collection of keys with their secrets. Every change updates a single document. */
export class MongoKeys implements KeyStore {
  readonly #keys: Collection<KeyDocument>
  readonly #slots: AccountSlots

  constructor(collections: Pick<Collections, 'keys' | 'slots' | 'accounts'>) {
    this.#keys = collections.keys
    this.#slots = new AccountSlots(collections)
  }

  async findKey(hash: string): Promise<Key | null> {
    return parseKey(await this.#keys.findOne({ 'secrets.hash': hash }))
  }

  async getKey(id: string): Promise<Key | null> {
    return parseKey(await this.#keys.findOne({ _id: id }))
  }

  async listKeys(): Promise<Key[]> {
    const found = await this.#keys.find().sort({ createdAt: 1, _id: 1 }).toArray()
    return found.map(toKey)
  }

  async countPeppers(now: Date): Promise<PepperCount[]> {
    const isValid = [null, { $gt: now }]
    const validAt = (field: string) => ({ $or: isValid.map((value) => ({ [field]: value })) })
    const found = this.#keys.aggregate<{ readonly _id: string | null; readonly secrets: number }>([
      { $match: { revokedAt: null, ...validAt('expiresAt') } },
      { $unwind: '$secrets' },
      { $match: validAt('secrets.expiresAt') },
      { $group: { _id: { $ifNull: ['$secrets.pepper', null] }, secrets: { $sum: 1 } } },
    ])
    return (await found.toArray()).map(({ _id, secrets }) => ({ pepper: _id, secrets }))
  }

  async listAccountKeys(account: string): Promise<Key[]> {
    const found = await this.#keys.find({ account }, ONE_BATCH).sort({ createdAt: 1, _id: 1 }).toArray()
    return found.map(toKey)
  }

  listSlots(account?: string): Promise<KeySlot[]> {
    return this.#slots.list(account)
  }

  async createKey(key: Key): Promise<void> {
    await this.#keys.insertOne(buildDocument(key), LIMITED)
  }

  createAccountKey(key: Key, limit: number): Promise<boolean> {
    return this.#createFor(key, async (account) => {
      const occupied = await this.#slots.listOccupied(account)
      return occupied.length < limit ? findFreeSlot(occupied) : null
    })
  }

  createDefaultKey(key: Key): Promise<boolean> {
    return this.#createFor(key, async (account) => ((await this.#keys.findOne({ account })) === null ? 0 : null))
  }

  async attachKey(id: string, account: string): Promise<boolean> {
    const key = await this.#keys.findOne({ _id: id, account: null, revokedAt: null })
    const plan = await this.#slots.findPlan(account)
    if (key === null || plan === null) return false
    const free = { _id: id, account: null, revokedAt: null }
    const before = { $set: { account: null, plan: key.plan }, $unset: { slot: 1, counter: 1 } } as const
    for (;;) {
      const findSlot = (): Promise<number> => this.#slots.findUnused(account)
      const slot = await this.#slots.occupy(account, findSlot, async (slot) => {
        return (await this.#keys.updateOne(free, { $set: { account, slot, plan } }, LIMITED)).matchedCount === 1
      })
      if (slot === null) return false
      const isConfirmed = await this.#slots.confirm(id, account, plan)
      if (isConfirmed && (await this.#slots.takeCounter(account, slot, id)) === id) {
        await this.#slots.setCounter(id, account, id)
        return true
      }
      await this.#keys.updateOne({ _id: id, account }, before, LIMITED)
      // Otherwise another key was in the slot meanwhile, whose counts it keeps.
      if (!isConfirmed) return false
    }
  }

  async renameKey(id: string, name: string): Promise<boolean> {
    return (await this.#keys.updateOne({ _id: id }, { $set: { name } }, LIMITED)).matchedCount === 1
  }

  async revokeKey(id: string, at: Date): Promise<boolean> {
    const change = [{ $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }, { $unset: 'slot' }]
    const { matchedCount } = await this.#keys.updateOne({ _id: id }, change, LIMITED)
    return matchedCount === 1
  }

  async rotateKey(id: string, { secret, oldEndAt, now }: Rotation): Promise<boolean> {
    const kept = { $or: [{ $eq: ['$$old.expiresAt', null] }, { $gte: ['$$old.expiresAt', now] }] }
    // $min ignores null.
    const ended = { $mergeObjects: ['$$old', { expiresAt: { $min: ['$$old.expiresAt', oldEndAt] } }] }
    const olds = { $map: { input: { $filter: { input: '$secrets', as: 'old', cond: kept } }, as: 'old', in: ended } }
    // $literal stores texts that look like an operator or a field unchanged.
    const change = { $set: { secrets: { $concatArrays: [[{ $literal: pickSecret(secret) }], olds] } } }
    const { matchedCount } = await this.#keys.updateOne({ _id: id, revokedAt: null }, [change], LIMITED)
    return matchedCount === 1
  }

  async setPlan(id: string, plan: string): Promise<boolean> {
    return (await this.#keys.updateOne({ _id: id }, { $set: { plan } }, LIMITED)).matchedCount === 1
  }

  async changeKey(id: string, { email, expiresAt, perMinute, perMonth }: KeyChange): Promise<boolean> {
    const change = {
      ...(email !== undefined && { email }),
      ...(expiresAt !== undefined && { expiresAt }),
      ...(perMinute !== undefined && { perMinute }),
      ...(perMonth !== undefined && { perMonth }),
    }
    return (await this.#keys.updateOne({ _id: id }, { $set: change }, LIMITED)).matchedCount === 1
  }

  async deleteKey(id: string): Promise<boolean> {
    return (await this.#keys.deleteOne({ _id: id }, LIMITED)).deletedCount === 1
  }

  /** @param findSlot returns the slot of the new key, or null if the account may not have one more */
  async #createFor(key: Key, findSlot: (account: string) => Promise<number | null>): Promise<boolean> {
    const { id, account } = key
    const plan = account === null ? null : await this.#slots.findPlan(account)
    if (account === null || plan === null) return false
    const slot = await this.#slots.occupy(
      account,
      () => findSlot(account),
      async (slot) => {
        try {
          await this.#keys.insertOne({ ...buildDocument({ ...key, plan }), slot }, LIMITED)
          return true
        } catch (error) {
          if (!isTakenId(error)) throw error
          return false
        }
      },
    )
    if (slot === null) return false
    if (await this.#slots.confirm(id, account, plan)) {
      // The secret is not shown before this call returns, so that nothing was counted before.
      const counter = await this.#slots.chooseCounter(account, id)
      await this.#slots.setCounter(id, account, await this.#slots.takeCounter(account, slot, counter))
      return true
    }
    await this.#keys.deleteOne({ _id: id }, LIMITED)
    return false
  }
}

function buildDocument({ id, secrets, ...key }: Key): KeyDocument {
  const { name, email, plan, revision, account, createdAt, revokedAt, suspendedAt } = key
  const { expiresAt, perMinute, perMonth } = key
  const kept = secrets.map(pickSecret)
  const times = { createdAt, revokedAt, suspendedAt, expiresAt }
  return { _id: id, name, email, plan, revision, account, ...times, perMinute, perMonth, secrets: kept }
}

function pickSecret({ hash, lastFour, expiresAt, pepper }: KeySecret): KeySecret {
  return { hash, lastFour, expiresAt, ...(pepper !== undefined && { pepper }) }
}

function parseKey(document: KeyDocument | null): Key | null {
  return document === null ? null : toKey(document)
}

/** Reads a stored key. Documents of earlier versions lack fields. */
export function toKey({ _id, slot: _, ...rest }: KeyDocument): Key {
  return {
    id: _id,
    ...rest,
    account: rest.account ?? null,
    counter: rest.counter ?? _id,
    suspendedAt: rest.suspendedAt ?? null,
    expiresAt: rest.expiresAt ?? null,
    perMinute: rest.perMinute ?? null,
    perMonth: rest.perMonth ?? null,
  }
}
