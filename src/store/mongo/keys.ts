import type { Collection } from 'mongodb'
import type { Key } from '../../keys/types.ts'
import type { Store } from '../types.ts'
import { CHANGE_MS } from './errors.ts'
import type { KeyDocument } from './schema.ts'

const LIMITED = { maxTimeMS: CHANGE_MS } as const

/** The collection of keys, each with its secrets: whatever changes one changes one document. */
export class MongoKeys {
  readonly #keys: Collection<KeyDocument>

  constructor(keys: Collection<KeyDocument>) {
    this.#keys = keys
  }

  async find(hash: string): Promise<Key | null> {
    return toKey(await this.#keys.findOne({ 'secrets.hash': hash }))
  }

  async get(id: string): Promise<Key | null> {
    return toKey(await this.#keys.findOne({ _id: id }))
  }

  async list(): Promise<Key[]> {
    const found = await this.#keys.find().sort({ createdAt: 1, _id: 1 }).toArray()
    return found.map(keyOf)
  }

  async create({ id, name, email, plan, revision, createdAt, revokedAt, secrets }: Key): Promise<void> {
    const kept = secrets.map(({ hash, lastFour, expiresAt }) => ({ hash, lastFour, expiresAt }))
    await this.#keys.insertOne({ _id: id, name, email, plan, revision, createdAt, revokedAt, secrets: kept }, LIMITED)
  }

  async revoke(id: string, at: Date): Promise<boolean> {
    const change = { $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }
    const { matchedCount } = await this.#keys.updateOne({ _id: id }, [change], LIMITED)
    return matchedCount === 1
  }

  async rotate(id: string, { secret, oldEndAt, now }: Parameters<Store['rotateKey']>[1]): Promise<boolean> {
    const { hash, lastFour, expiresAt } = secret
    const kept = { $or: [{ $eq: ['$$old.expiresAt', null] }, { $gte: ['$$old.expiresAt', now] }] }
    // $min leaves null out.
    const ended = { $mergeObjects: ['$$old', { expiresAt: { $min: ['$$old.expiresAt', oldEndAt] } }] }
    const olds = { $map: { input: { $filter: { input: '$secrets', as: 'old', cond: kept } }, as: 'old', in: ended } }
    // Literal: a text that looks like an operator or a field is stored as it is.
    const change = { $set: { secrets: { $concatArrays: [[{ $literal: { hash, lastFour, expiresAt } }], olds] } } }
    const { matchedCount } = await this.#keys.updateOne({ _id: id, revokedAt: null }, [change], LIMITED)
    return matchedCount === 1
  }

  async setPlan(id: string, plan: string): Promise<boolean> {
    return (await this.#keys.updateOne({ _id: id }, { $set: { plan } }, LIMITED)).matchedCount === 1
  }
}

function toKey(document: KeyDocument | null): Key | null {
  return document === null ? null : keyOf(document)
}

function keyOf({ _id, ...rest }: KeyDocument): Key {
  return { id: _id, ...rest }
}
