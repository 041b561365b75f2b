import { type Collection, type Document, MongoBulkWriteError } from 'mongodb'
import {
  type Batch,
  type BatchChange,
  type BatchCounts,
  type BatchLine,
  type BatchPart,
  type BatchQuery,
  type BatchStatus,
  type BatchStore,
  type BatchUrl,
  COUNTED_STATUSES,
  type ItemCharge,
  type ItemOutcome,
  OPEN_STATUSES,
  type PartQuery,
} from '../batch-types.ts'
import { buildUsageId, type ChargeTimes, MongoCharges } from './charges.ts'
import {
  type BatchDocument,
  type BatchItemDocument,
  type Collections,
  ONE_BATCH,
  type UsageDocument,
} from './collections.ts'
import { CHANGE_TIMEOUT_MS, isDuplicate } from './errors.ts'

const LIMITED = { maxTimeMS: CHANGE_TIMEOUT_MS } as const

/** A batch that clients and workers may see. */
const VISIBLE = { status: { $nin: ['loading', 'deleted'] as const } }

/**
 * Milliseconds after which an outcome is read while its batch runs. Outcomes get their time when the server begins to write them, so
 * one with a slightly earlier time may become visible later; a reader that had gone beyond it would miss it.
 */
const SETTLE_MS = 2000
/** A charge older than this is not followed by its outcome: the batch may have been settled meanwhile. */
const MAX_CHARGE_AGE_MS = 20_000
/** Items that are deleted in one call. */
const DELETED_ITEMS = 1000

function parseBatch({ _id, webhookAt: _, settled: __, idempotencyKey, status, ...batch }: BatchDocument): Batch {
  return { id: _id, ...batch, status: status as BatchStatus, idempotencyKey: idempotencyKey ?? null }
}

function buildItemId(batch: string, position: number): string {
  return `${batch}:${position}`
}

/**
 * The collections of batches and their URLs. A success is charged before it is stored, because a standalone server has no
 * transactions. Usage counts the charges of each batch, so that `settleBatch` can make them equal to the successes.
 */
export class MongoBatches implements BatchStore {
  readonly #batches: Collection<BatchDocument>
  readonly #items: Collection<BatchItemDocument>
  readonly #usage: Collection<UsageDocument>
  readonly #charges: MongoCharges
  readonly #maxTimeMS: number

  constructor({ batches, batchItems, usage }: Collections, times: ChargeTimes) {
    this.#batches = batches
    this.#items = batchItems
    this.#usage = usage
    this.#charges = new MongoCharges(usage, times)
    this.#maxTimeMS = times.maxTimeMS
  }

  async createBatch(batch: Batch, maxOpen: number): Promise<{ batch: Batch; isNew: boolean; isOpen: boolean } | null> {
    const former = await this.#insert(batch)
    if (former !== null && former.status !== 'loading') return { batch: parseBatch(former), isNew: false, isOpen: true }
    // Counted after the insert: of batches that are created at the same time, the last one sees all others.
    if ((await this.countOpen(batch.counter)) <= maxOpen) {
      const found = former === null ? batch : { ...parseBatch(former), status: 'waiting' as const }
      return { batch: found, isNew: former === null, isOpen: false }
    }
    const withdrawn = { $set: { status: 'deleted' }, $unset: { idempotencyKey: true } } as const
    await this.#batches.updateOne({ _id: former?._id ?? batch.id, status: 'loading' }, withdrawn, LIMITED)
    return null
  }

  /** @returns the batch that has the idempotency key already; null if there was none */
  async #insert({ id, idempotencyKey, ...fields }: Batch): Promise<BatchDocument | null> {
    const names = idempotencyKey === null ? {} : { idempotencyKey }
    try {
      await this.#batches.insertOne({ _id: id, ...fields, ...names, status: 'loading', settled: false }, LIMITED)
      return null
    } catch (error) {
      if (!isDuplicate(error) || idempotencyKey === null) throw error
      const former = await this.#batches.findOne({ counter: fields.counter, idempotencyKey })
      if (former === null) throw error
      return former
    }
  }

  async countOpen(counter: string): Promise<number> {
    return await this.#batches.countDocuments({ counter, status: { $in: COUNTED_STATUSES } })
  }

  async addUrls(id: string, urls: readonly BatchUrl[]): Promise<void> {
    const items = urls.map(
      (url): BatchItemDocument => ({
        _id: buildItemId(id, url.position),
        batch: id,
        ...url,
        state: 'waiting',
        tries: 0,
      }),
    )
    try {
      await this.#items.insertMany(items, { ordered: false, ...LIMITED })
    } catch (error) {
      const isRepeated = error instanceof MongoBulkWriteError && [error.writeErrors].flat().every(isDuplicateWrite)
      if (!isRepeated) throw error
    }
  }

  async openBatch(id: string): Promise<boolean> {
    await this.#batches.updateOne({ _id: id, status: 'loading' }, { $set: { status: 'waiting' } }, LIMITED)
    return (await this.getBatch(id)) !== null
  }

  async getBatch(id: string): Promise<Batch | null> {
    const found = await this.#batches.findOne({ _id: id, ...VISIBLE })
    return found === null ? null : parseBatch(found)
  }

  async listBatches({ counters, limit, before }: BatchQuery): Promise<readonly Batch[]> {
    const last = before === undefined ? null : await this.#batches.findOne({ _id: before })
    const older =
      last === null
        ? {}
        : { $or: [{ createdAt: { $lt: last.createdAt } }, { createdAt: last.createdAt, _id: { $lt: last._id } }] }
    const found = this.#batches.find({ counter: { $in: [...counters] }, ...VISIBLE, ...older })
    return (await found.sort({ createdAt: -1, _id: -1 }).limit(limit).toArray()).map(parseBatch)
  }

  async listOpenBatches(): Promise<readonly Batch[]> {
    return await this.#list({ status: { $in: OPEN_STATUSES } })
  }

  async listFailedBatches(codes: readonly string[], limit: number): Promise<readonly Batch[]> {
    const found = await this.#items
      .aggregate<{ readonly _id: string }>([
        { $match: { state: 'failed', code: { $in: codes } } },
        { $group: { _id: '$batch' } },
      ])
      .toArray()
    const batches = await this.#list({ _id: { $in: found.map(({ _id }) => _id) }, ...VISIBLE })
    return [...batches].reverse().slice(0, limit)
  }

  async listDueWebhooks(now: number): Promise<readonly Batch[]> {
    return await this.#list({ webhookAt: { $lte: new Date(now) }, ...VISIBLE })
  }

  async listUnsettledBatches(before: number): Promise<readonly Batch[]> {
    return await this.#list({ finishedAt: { $lt: new Date(before) }, settled: false, ...VISIBLE })
  }

  async #list(filter: Document): Promise<readonly Batch[]> {
    const found = this.#batches.find(filter, ONE_BATCH).sort({ createdAt: 1, _id: 1 })
    return (await found.toArray()).map(parseBatch)
  }

  async countItems(id: string): Promise<BatchCounts> {
    const rows = await this.#items
      .aggregate<{ readonly _id: Pick<BatchItemDocument, 'state' | 'code'>; readonly count: number }>([
        { $match: { batch: id } },
        { $group: { _id: { state: '$state', code: '$code' }, count: { $sum: 1 } } },
      ])
      .toArray()
    const find = (state: string): number => rows.find(({ _id }) => _id.state === state)?.count ?? 0
    const failed = rows.filter(({ _id }) => _id.state === 'failed')
    return {
      waiting: find('waiting'),
      succeeded: find('done'),
      failures: Object.fromEntries(failed.map(({ _id, count }) => [_id.code ?? '', count])),
    }
  }

  async listWaiting(
    id: string,
    { turn, position }: Pick<BatchUrl, 'turn' | 'position'>,
    limit: number,
  ): Promise<readonly BatchUrl[]> {
    const later = { $or: [{ turn: { $gt: turn } }, { turn, position: { $gte: position } }] }
    const found = this.#items.find({ batch: id, state: 'waiting', turn: { $gte: turn }, ...later })
    const rows = await found.sort({ turn: 1, position: 1 }).limit(limit).batchSize(limit).toArray()
    return rows.map((row) => ({ position: row.position, url: row.url, turn: row.turn }))
  }

  async storeOutcome(
    { batch, position }: { readonly batch: string; readonly position: number },
    outcome: ItemOutcome,
    charge: ItemCharge | null,
  ): Promise<'stored' | 'already' | 'quota'> {
    const start = performance.now()
    const filter = { _id: buildItemId(batch, position), state: 'waiting' } as const
    if (charge !== null) {
      if ((await this.#items.findOne(filter, { projection: { _id: 1 } })) === null) return 'already'
      if (charge.quota <= 0 || (await this.#charges.charge({ ...charge, batch })) === null) return 'quota'
      if (performance.now() - start > MAX_CHARGE_AGE_MS) return 'already'
    }
    const fields =
      'result' in outcome
        ? { state: 'done', content: { $literal: outcome.result }, ...(charge && { day: charge.day }) }
        : { state: 'failed', code: { $literal: outcome.code }, content: { $literal: outcome.error } }
    const update = [{ $set: { ...fields, finishedAt: '$$NOW' } }]
    const { modifiedCount } = await this.#items.updateOne(filter, update, { maxTimeMS: this.#maxTimeMS })
    return modifiedCount === 1 ? 'stored' : 'already'
  }

  async countTry(batch: string, position: number): Promise<number> {
    const options = { ...LIMITED, returnDocument: 'after', projection: { tries: 1 } } as const
    const filter = { _id: buildItemId(batch, position) }
    return (await this.#items.findOneAndUpdate(filter, { $inc: { tries: 1 } }, options))?.tries ?? 0
  }

  async readPart(id: string, { after, limit }: PartQuery): Promise<BatchPart> {
    const [at = 0, place = -1] = (after ?? '').split('-').map(Number)
    const time = new Date(at)
    const batch = await this.#batches.findOne({ _id: id }, { projection: { status: 1 } })
    const isComplete = batch?.status === 'completed'
    const rows = await this.#items
      .find({
        batch: id,
        finishedAt: { $gte: time },
        $or: [{ finishedAt: { $gt: time } }, { position: { $gt: place } }],
        ...(!isComplete && { $expr: { $lt: ['$finishedAt', { $subtract: ['$$NOW', SETTLE_MS] }] } }),
      })
      .sort({ finishedAt: 1, position: 1 })
      .limit(limit + 1)
      .batchSize(limit + 1)
      .toArray()
    const part = rows.slice(0, limit)
    const last = part.at(-1)
    return {
      lines: part.map(parseLine),
      cursor: last === undefined ? (after ?? '0--1') : `${last.finishedAt?.getTime()}-${last.position}`,
      hasMore: rows.length > limit,
    }
  }

  async changeBatch(id: string, from: readonly BatchStatus[], change: BatchChange): Promise<boolean> {
    const nextAt = change.webhook?.nextAt ?? null
    const update = {
      $set: { ...change, ...(nextAt !== null && { webhookAt: new Date(nextAt) }) },
      ...(change.webhook !== undefined && nextAt === null && { $unset: { webhookAt: true as const } }),
    }
    const { matchedCount } = await this.#batches.updateOne({ _id: id, status: { $in: [...from] } }, update, LIMITED)
    return matchedCount === 1
  }

  async retryFailures(id: string, codes?: readonly string[]): Promise<number> {
    const batch = await this.#batches.findOne({ _id: id, ...VISIBLE })
    if (batch === null) return 0
    const filter = { batch: id, state: 'failed', ...(codes && { code: { $in: [...codes] } }) } as const
    // A retry that was interrupted has left URLs without an outcome in a batch that has ended.
    const unfinished = { batch: id, state: 'waiting' } as const
    const wanted = batch.status === 'completed' ? { $or: [filter, unfinished] } : filter
    if ((await this.#items.findOne(wanted, { projection: { _id: 1 } })) === null) return 0
    // First the charges: an outcome that cannot be charged would not be stored.
    const opened = { $set: { [`batches.${id}.closed`]: false } }
    await this.#usage.updateMany({ key: batch.counter, [`batches.${id}`]: { $exists: true } }, opened, LIMITED)
    const update = [{ $set: { state: 'waiting', tries: 0 } }, { $unset: ['code', 'content', 'finishedAt'] }]
    const { modifiedCount } = await this.#items.updateMany(filter, update, LIMITED)
    const reopened = { status: 'waiting', reason: null, finishedAt: null, settled: false } as const
    await this.#batches.updateOne({ _id: id, ...VISIBLE }, { $set: reopened }, LIMITED)
    return modifiedCount
  }

  async settleBatch(id: string): Promise<void> {
    const batch = await this.#batches.findOne({ _id: id })
    if (batch === null) return
    const known = { key: batch.counter, [`batches.${id}`]: { $exists: true } }
    // No charge follows: what is read below does not change.
    await this.#usage.updateMany(known, { $set: { [`batches.${id}.closed`]: true } }, LIMITED)
    const successes = await this.#countByDay(id)
    const charged = await this.#usage.find(known, { projection: { month: 1, batches: 1 } }).toArray()
    for (const { month, batches = {} } of charged) {
      const days = Object.keys(batches[id] ?? {}).filter((name) => name.startsWith('d'))
      const wanted = days.map((name) => [name, successes.get(`${month}-${name.slice(1)}`) ?? 0] as const)
      await this.#usage.updateOne({ _id: buildUsageId(batch.counter, month) }, buildSettlement(id, wanted), LIMITED)
    }
    await this.#batches.updateOne({ _id: id, finishedAt: { $ne: null } }, { $set: { settled: true } }, LIMITED)
  }

  async #countByDay(id: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#items
      .aggregate<{ readonly _id: string; readonly count: number }>([
        { $match: { batch: id, state: 'done' } },
        { $group: { _id: '$day', count: { $sum: 1 } } },
      ])
      .toArray()
    return new Map(rows.map(({ _id, count }) => [_id, count]))
  }

  async deleteBatches({ before, unopened }: { readonly before: number; readonly unopened: number }): Promise<boolean> {
    const old = [
      { status: 'deleted' as const },
      { finishedAt: { $lt: new Date(before) } },
      { status: 'loading' as const, createdAt: { $lt: new Date(unopened) } },
    ]
    const batch = await this.#batches.findOne({ $or: old }, { projection: { _id: 1 } })
    if (batch === null) return false
    const found = this.#items.find({ batch: batch._id }, { projection: { _id: 1 } }).limit(DELETED_ITEMS)
    const ids = (await found.batchSize(DELETED_ITEMS).toArray()).map(({ _id }) => _id)
    if (ids.length > 0) await this.#items.deleteMany({ _id: { $in: ids } }, LIMITED)
    if (ids.length < DELETED_ITEMS) await this.#batches.deleteOne({ _id: batch._id }, LIMITED)
    return true
  }
}

function isDuplicateWrite({ code }: { readonly code: number }): boolean {
  return code === 11000
}

function parseLine({ position, url, state, code = '', content = '' }: BatchItemDocument): BatchLine {
  return state === 'done' ? { position, url, result: content } : { position, url, code, error: content }
}

/** Builds the update that makes the charges of a batch in one month equal to its successes on each day. */
function buildSettlement(id: string, wanted: readonly (readonly [field: string, count: number])[]): Document[] {
  const readDay = (field: string): Document => ({ $ifNull: [`$batches.${id}.${field}`, 0] })
  const changes = wanted.map(([field, count]) => [field, { $subtract: [count, readDay(field)] }] as const)
  return [
    {
      $set: {
        used: { $max: [0, { $add: ['$used', ...changes.map(([, change]) => change)] }] },
        ...Object.fromEntries(
          changes.map(([field, change]) => [
            `days.${field}`,
            { $max: [0, { $add: [{ $ifNull: [`$days.${field}`, 0] }, change] }] },
          ]),
        ),
        ...Object.fromEntries(wanted.map(([field, count]) => [`batches.${id}.${field}`, count])),
      },
    },
  ]
}
