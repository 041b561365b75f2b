import type { Collection } from 'mongodb'
import type { Key } from '../../keys/types.ts'
import type { KeyStore, Rotation } from '../types.ts'
import { CHANGE_TIMEOUT_MS } from './errors.ts'
import type { KeyDocument } from './schema.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/** The collection of keys with their secrets. Every change updates a single document. */
export class MongoKeys implements KeyStore {
  readonly #keys: Collection<KeyDocument>

  constructor(keys: Collection<KeyDocument>) {
    this.#keys = keys
  }

  async findKey(hash: string): Promise<Key | null> {
    return parseKey(await this.#keys.findOne({ 'secrets.hash': hash }))
  }

  async getKey(id: string): Promise<Key | null> {
    return parseKey(await this.#keys.findOne({ _id: id }))
  }

  async listKeys(): Promise<Key[]> {
    const found = await this.#keys.find().sort({ createdAt: 1, _id: 1 }).toArray()
    return found.map(renameId)
  }

  async createKey({ id, name, email, plan, revision, createdAt, revokedAt, secrets }: Key): Promise<void> {
    const kept = secrets.map(({ hash, lastFour, expiresAt }) => ({ hash, lastFour, expiresAt }))
    await this.#keys.insertOne({ _id: id, name, email, plan, revision, createdAt, revokedAt, secrets: kept }, LIMITED)
  }

  async revokeKey(id: string, at: Date): Promise<boolean> {
    const change = { $set: { revokedAt: { $ifNull: ['$revokedAt', at] } } }
    const { matchedCount } = await this.#keys.updateOne({ _id: id }, [change], LIMITED)
    return matchedCount === 1
  }

  async rotateKey(id: string, { secret, oldEndAt, now }: Rotation): Promise<boolean> {
    const { hash, lastFour, expiresAt } = secret
    const kept = { $or: [{ $eq: ['$$old.expiresAt', null] }, { $gte: ['$$old.expiresAt', now] }] }
    // $min ignores null.
    const ended = { $mergeObjects: ['$$old', { expiresAt: { $min: ['$$old.expiresAt', oldEndAt] } }] }
    const olds = { $map: { input: { $filter: { input: '$secrets', as: 'old', cond: kept } }, as: 'old', in: ended } }
    // $literal stores texts that look like an operator or a field unchanged.
    const change = { $set: { secrets: { $concatArrays: [[{ $literal: { hash, lastFour, expiresAt } }], olds] } } }
    const { matchedCount } = await this.#keys.updateOne({ _id: id, revokedAt: null }, [change], LIMITED)
    return matchedCount === 1
  }

  async setPlan(id: string, plan: string): Promise<boolean> {
    return (await this.#keys.updateOne({ _id: id }, { $set: { plan } }, LIMITED)).matchedCount === 1
  }
}

function parseKey(document: KeyDocument | null): Key | null {
  return document === null ? null : renameId(document)
}

function renameId({ _id, ...rest }: KeyDocument): Key {
  return { id: _id, ...rest }
}
