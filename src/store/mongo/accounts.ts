import type { Document, Filter } from 'mongodb'
import type { Account, AccountSummary, Invite, ScanHead, StoredScan } from '../account-types.ts'
import type { AccountQuery, AccountStore, AccountUsage, UsageSpan } from '../types.ts'
import { buildUsageId } from './charges.ts'
import {
  type AccountDocument,
  type Collections,
  type KeyDocument,
  ONE_BATCH,
  type ScanDocument,
  type SlotDocument,
  type UsageDocument,
} from './collections.ts'
import { CHANGE_TIMEOUT_MS } from './errors.ts'
import { toKey } from './keys.ts'
import { toDays, toMonth } from './usage.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/** A key of an account, or one of its slots. */
interface KeyOrSlot {
  readonly key?: KeyDocument
  readonly slot?: SlotDocument & { readonly usage: readonly UsageDocument[] }
}

/** The collections of accounts, invitations and scans. better-auth writes those of accounts, credentials and sessions too. */
export class MongoAccounts implements AccountStore {
  readonly #all: Collections

  constructor(collections: Collections) {
    this.#all = collections
  }

  async getAccount(id: string): Promise<Account | null> {
    return parseAccount(await this.#all.accounts.findOne({ _id: id }))
  }

  async findAccount(email: string): Promise<Account | null> {
    return parseAccount(await this.#all.accounts.findOne({ email: email.toLowerCase() }))
  }

  async listAccounts({ search, month, offset, limit }: AccountQuery) {
    const { accounts } = this.#all
    const part = { $regex: escapePattern(search), $options: 'i' }
    const filter: Filter<AccountDocument> = search === '' ? {} : { $or: [{ email: part }, { name: part }] }
    const page = accounts.find(filter).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(limit)
    // Without a search, MongoDB can return the number without reading all documents.
    const count = search === '' ? accounts.estimatedDocumentCount() : accounts.countDocuments(filter)
    const [found, total] = await Promise.all([page.toArray(), count])
    return { accounts: await this.#summarize(found.map(toAccount), month), total }
  }

  async readUsage(account: string, { since, first, last }: UsageSpan): Promise<AccountUsage> {
    const { keys, slots, usage } = this.#all
    const hasDays = { $and: [{ $gte: ['$month', first] }, { $lte: ['$month', last] }] }
    const days = { $cond: [hasDays, '$days', '$$REMOVE'] }
    const pipeline = [{ $match: { month: { $gte: since } } }, { $set: { days } }]
    const withUsage = [
      { $match: { account } },
      { $sort: { slot: 1 } },
      { $lookup: { from: usage.collectionName, localField: 'counter', foreignField: 'key', pipeline, as: 'usage' } },
      { $project: { slot: '$$ROOT' } },
    ]
    const found = await keys
      .aggregate<KeyOrSlot>(
        [
          { $match: { account } },
          { $sort: { createdAt: 1, _id: 1 } },
          { $project: { key: '$$ROOT' } },
          { $unionWith: { coll: slots.collectionName, pipeline: withUsage } },
        ],
        ONE_BATCH,
      )
      .toArray()
    const foundSlots = found.flatMap(({ slot }) => slot ?? [])
    const all = foundSlots.flatMap((one) => one.usage)
    return {
      keys: found.flatMap(({ key }) => (key === undefined ? [] : toKey(key))),
      slots: foundSlots.map(({ account, slot, counter }) => ({ account, slot, counter })),
      months: all.map(toMonth),
      days: all.flatMap(toDays),
    }
  }

  async setAccountPlan(id: string, plan: string): Promise<boolean> {
    const { accounts, keys } = this.#all
    const { matchedCount } = await accounts.updateOne({ _id: id }, { $set: { plan } }, LIMITED)
    await keys.updateMany({ account: id }, { $set: { plan } }, LIMITED)
    return matchedCount === 1
  }

  async setKeyEmails(account: string, email: string): Promise<void> {
    await this.#all.keys.updateMany({ account }, { $set: { email } }, LIMITED)
  }

  async verifyAccount(id: string, email: string): Promise<boolean> {
    const { accounts, sessions } = this.#all
    // Before the change too: if the second deletion fails, no earlier session has the rights of the address.
    await sessions.deleteMany({ userId: id }, LIMITED)
    const { matchedCount } = await accounts.updateOne({ _id: id, email }, { $set: { emailVerified: true } }, LIMITED)
    await sessions.deleteMany({ userId: id }, LIMITED)
    return matchedCount === 1
  }

  async suspendAccount(id: string, at: Date | null): Promise<boolean> {
    const { accounts, keys, sessions } = this.#all
    const change = { $set: { suspendedAt: at } }
    const { matchedCount } = await accounts.updateOne({ _id: id }, change, LIMITED)
    await keys.updateMany({ account: id }, change, LIMITED)
    if (at !== null) await sessions.deleteMany({ userId: id }, LIMITED)
    return matchedCount === 1
  }

  async deleteAccount(id: string, at: Date): Promise<boolean> {
    const { accounts, batches, keys, scans, sessions, credentials, verifications } = this.#all
    // From now on, the account gets neither keys nor scans. The account itself is deleted last, so that the call can be
    // repeated.
    const account = await accounts.findOneAndUpdate({ _id: id }, { $set: { deletedAt: at } }, LIMITED)
    if (account === null) return false
    const revoked = { name: '', email: '', revokedAt: { $ifNull: ['$revokedAt', at] } }
    await keys.updateMany({ account: id }, [{ $set: revoked }, { $unset: 'slot' }], LIMITED)
    await verifications.deleteMany(buildMention(id, account.email), LIMITED)
    await scans.deleteMany({ account: id }, LIMITED)
    // Their URLs and results may be too many for one request: whatever runs batches deletes them, within a minute.
    await batches.updateMany({ account: id }, { $set: { status: 'deleted', account: null, webhook: null } }, LIMITED)
    await sessions.deleteMany({ userId: id }, LIMITED)
    await credentials.deleteMany({ userId: id }, LIMITED)
    await accounts.deleteOne({ _id: id }, LIMITED)
    return true
  }

  async createInvite({ hash, expiresAt }: Invite): Promise<void> {
    await this.#all.invites.insertOne({ _id: hash, expiresAt }, LIMITED)
  }

  async findInvite(hash: string, now: Date): Promise<Invite | null> {
    const found = await this.#all.invites.findOne({ _id: hash, expiresAt: { $gt: now } })
    return found === null ? null : { hash, expiresAt: found.expiresAt }
  }

  async useInvite(hash: string, now: Date): Promise<boolean> {
    const { deletedCount } = await this.#all.invites.deleteOne({ _id: hash, expiresAt: { $gt: now } }, LIMITED)
    return deletedCount === 1
  }

  async addScan({ id, account, url, builder, at, entry }: StoredScan, keep: number): Promise<void> {
    const { accounts, scans } = this.#all
    await scans.insertOne({ _id: id, account, url, builder, at, entry: JSON.stringify(entry) }, LIMITED)
    // Checked afterwards: a concurrent deletion of the account either sees the scan or is seen here.
    const active = await accounts.findOne({ _id: account, deletedAt: null }, { projection: { _id: 1 } })
    const newest = scans.find({ account }, { projection: { _id: 1 } }).sort({ at: -1, _id: -1 })
    const excess = active === null ? [{ _id: id }] : await newest.skip(keep).toArray()
    if (excess.length > 0) await scans.deleteMany({ _id: { $in: excess.map(({ _id }) => _id) } }, LIMITED)
  }

  async listScans(account: string): Promise<readonly ScanHead[]> {
    const found = this.#all.scans.find({ account }, { projection: { entry: 0 } })
    return (await found.sort({ at: -1, _id: -1 }).toArray()).map(({ _id, ...scan }) => ({ id: _id, ...scan }))
  }

  async getScan(account: string, id: string): Promise<StoredScan | null> {
    const found = await this.#all.scans.findOne({ _id: id, account })
    return found === null ? null : parseScan(found)
  }

  /** Adds the number of active keys and the usage of a month to accounts, with one query for both. */
  async #summarize(accounts: readonly Account[], month: string): Promise<readonly AccountSummary[]> {
    const { keys, slots, usage } = this.#all
    const match = { $match: { account: { $in: accounts.map(({ id }) => id) } } }
    const isActive = { $cond: [{ $eq: ['$revokedAt', null] }, 1, 0] }
    const withUsage = [
      match,
      { $set: { usageId: { $concat: ['$counter', buildUsageId('', month)] } } },
      { $lookup: { from: usage.collectionName, localField: 'usageId', foreignField: '_id', as: 'usage' } },
      { $project: { account: 1, used: { $sum: '$usage.used' } } },
    ]
    const rows = await keys
      .aggregate<{ readonly _id: string; readonly keys: number; readonly used: number }>([
        match,
        { $project: { account: 1, active: isActive } },
        { $unionWith: { coll: slots.collectionName, pipeline: withUsage } },
        { $group: { _id: '$account', keys: { $sum: '$active' }, used: { $sum: '$used' } } },
      ])
      .toArray()
    const found = new Map(rows.map(({ _id, keys, used }) => [_id, { keys, used }]))
    return accounts.map((account) => ({ ...account, ...(found.get(account.id) ?? { keys: 0, used: 0 }) }))
  }
}

/** Matches pending verifications that contain the id or the e-mail address of an account. */
function buildMention(id: string, email: string): Document {
  const pattern = { $regex: `${escapePattern(id)}|${escapePattern(email)}`, $options: 'i' }
  return { $or: [{ identifier: pattern }, { value: pattern }] }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\#\s-]/g, String.raw`\$&`)
}

function parseAccount(document: AccountDocument | null): Account | null {
  return document === null ? null : toAccount(document)
}

function toAccount({ _id, email, name, emailVerified, plan, createdAt, suspendedAt }: AccountDocument): Account {
  return { id: _id, email, name, isVerified: emailVerified, plan, createdAt, suspendedAt: suspendedAt ?? null }
}

function parseScan({ _id, entry, ...scan }: ScanDocument): StoredScan {
  return { id: _id, ...scan, entry: JSON.parse(entry) as StoredScan['entry'] }
}
