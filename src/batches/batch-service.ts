import { createHash } from 'node:crypto'
import { customAlphabet } from 'nanoid'
import { ApiError, buildInvalidRequest } from '../errors.ts'
import { isAllowed } from '../fetch/address.ts'
import type { Policy } from '../fetch/policy.ts'
import { parseTarget } from '../fetch/target.ts'
import { findBatchLimit, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import type { Batch, BatchCounts, BatchLine } from '../store/batch-types.ts'
import type { Store } from '../store/types.ts'
import { endBatch } from './end-batch.ts'
import { buildUrls } from './parse-list.ts'

/** URLs that are written in one call of the store. */
const WRITTEN_URLS = 500
/** Batches of a counter that may have URLs left at a time. */
const MAX_OPEN_BATCHES = 100
/** Batches on one page of a list. */
const PAGE_BATCHES = 20
/** Lines that are read in one call of the store. */
const READ_LINES = 100
/** Limits of one part of the results, so that a part fits into memory whatever its results contain. */
const MAX_PART_LINES = 1000
const MAX_PART_CHARACTERS = 4 * 1024 * 1024

/** The message for an id that is not that of a batch of the key. */
export const NO_BATCH = 'This key has no batch with this id.'

const createId = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 20)

/** What a client submits. */
export interface Submission {
  readonly entries: readonly string[]
  readonly include: readonly string[]
  readonly fresh: boolean
  readonly webhook: string | null
  readonly idempotencyKey: string | null
}

/** A batch with the numbers of its URLs. */
export interface CountedBatch {
  readonly batch: Batch
  readonly counts: BatchCounts
}

/** A part of the results of a batch. */
export interface ResultPart {
  readonly lines: readonly BatchLine[]
  /** Where the next part begins; null if there will be none. */
  readonly next: string | null
}

/** A page of a list of batches. */
export interface BatchListPage {
  readonly batches: readonly Batch[]
  /** The batch before which the next page begins; null if there is none. */
  readonly next: string | null
}

/** What takes the URLs of batches and scans them. */
export interface BatchRunner {
  /** Why batches cannot be used here, for the log; null if they can. */
  readonly unavailable: string | null
  /** Reports a batch that is new or has changed. */
  wake(id: string): void
}

interface ServiceParts {
  readonly store: Pick<Store, 'batches'>
  readonly settings: { readonly plans: ReadonlyMap<string, Plan> }
  readonly policy: Policy
  readonly clock: () => number
  readonly runner: BatchRunner
}

/** What clients do with batches: the same for the API, the portal and the commands. */
export class BatchService {
  readonly #parts: ServiceParts

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  /** Why batches cannot be used here, such as "MONGODB_URL is not set"; null if they can. */
  get unavailable(): string | null {
    return this.#parts.runner.unavailable
  }

  /** @throws ApiError `unavailable` where batches cannot be used */
  requireRunner(): void {
    if (this.unavailable !== null)
      throw new ApiError('unavailable', {
        reason: 'no_batches',
        sentence:
          'Batches are not available: this service has no store that its nodes share. Its operator can set one up.',
      })
  }

  /** The number of URLs that a batch of a key may contain. */
  findLimit(key: Key): number {
    return findBatchLimit(this.#parts.settings.plans, key)
  }

  /**
   * Creates a batch. A repeated request with the same idempotency key finds the first batch.
   * @throws ApiError `invalid_request` (one open batch too many, for example), `idempotency_conflict`; ScanError for the address of the webhook
   */
  async submit(key: Key, submission: Submission): Promise<Batch> {
    const { batches } = this.#parts.store
    const urls = this.#checkUrls(key, submission.entries)
    this.#checkWebhook(submission.webhook)
    const wanted = this.#build(key, submission)
    const created = await batches.createBatch(wanted, MAX_OPEN_BATCHES)
    if (created === null) throw buildTooManyOpen()
    const { batch, isNew, isOpen } = created
    if (!isNew && batch.fingerprint !== wanted.fingerprint) throw new ApiError('idempotency_conflict')
    if (isOpen) return batch
    for (let start = 0; start < urls.length; start += WRITTEN_URLS)
      await batches.addUrls(batch.id, urls.slice(start, start + WRITTEN_URLS))
    // A request with the same idempotency key may have withdrawn the batch, because it was one too many.
    if (!(await batches.openBatch(batch.id))) throw buildTooManyOpen()
    this.#parts.runner.wake(batch.id)
    return batch
  }

  #checkUrls(key: Key, entries: readonly string[]): ReturnType<typeof buildUrls> {
    const limit = this.findLimit(key)
    if (entries.length === 0) throw buildInvalidRequest('The list contains no URL.')
    if (entries.length > limit)
      throw buildInvalidRequest(
        `The list has ${entries.length} URLs. A batch of the plan ${key.plan} may contain ${limit}.`,
      )
    return buildUrls(entries)
  }

  /** A webhook is a URL that a stranger names: the same addresses are refused as for scans. */
  #checkWebhook(webhook: string | null): void {
    if (webhook === null) return
    const { policy } = this.#parts
    const { url, host, port } = parseTarget(webhook, policy)
    if (url.protocol !== 'https:' && !isAllowed(policy.allow, host, port))
      throw buildInvalidRequest('webhook must be an https URL.')
  }

  #build(key: Key, { entries, include, fresh, webhook, idempotencyKey }: Submission): Batch {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([entries, include, fresh, webhook]))
      .digest('hex')
    return {
      id: createId(),
      key: key.id,
      counter: key.counter,
      account: key.account,
      status: 'waiting',
      reason: null,
      total: entries.length,
      include,
      fresh,
      createdAt: new Date(this.#parts.clock()),
      startedAt: null,
      finishedAt: null,
      idempotencyKey,
      fingerprint,
      webhook: webhook === null ? null : { url: webhook, state: 'waiting', attempts: [], nextAt: null },
    }
  }

  /** Finds a batch of one of these counters. @throws ApiError `not_found` */
  async find(counters: readonly string[], id: string): Promise<Batch> {
    const batch = await this.#parts.store.batches.getBatch(id)
    if (batch === null || !counters.includes(batch.counter)) throw new ApiError('not_found', { sentence: NO_BATCH })
    return batch
  }

  /** Adds the numbers of its URLs to a batch. */
  async count(batch: Batch): Promise<CountedBatch> {
    return { batch, counts: await this.#parts.store.batches.countItems(batch.id) }
  }

  /** Lists the batches of these counters, newest first, page by page. */
  async list(counters: readonly string[], before?: string): Promise<BatchListPage> {
    const query = { counters, limit: PAGE_BATCHES + 1, ...(before !== undefined && { before }) }
    const found = await this.#parts.store.batches.listBatches(query)
    const batches = found.slice(0, PAGE_BATCHES)
    return { batches, next: found.length > PAGE_BATCHES ? (batches.at(-1)?.id ?? null) : null }
  }

  /** Reads the results of a batch after a cursor, in the order of completion. */
  async read(batch: Batch, cursor: string | null): Promise<ResultPart> {
    const lines: BatchLine[] = []
    let after = cursor
    let characters = 0
    for (;;) {
      const part = await this.#parts.store.batches.readPart(batch.id, { after, limit: READ_LINES })
      lines.push(...part.lines)
      after = part.cursor
      for (const line of part.lines) characters += 'result' in line ? line.result.length : line.error.length
      if (!part.hasMore) {
        const isEnded = batch.status === 'completed' || batch.status === 'cancelled'
        return { lines, next: isEnded ? null : after }
      }
      if (lines.length >= MAX_PART_LINES || characters >= MAX_PART_CHARACTERS) return { lines, next: after }
    }
  }

  /** Reads the results that a batch had when it was counted, part by part: one that runs gets others meanwhile. */
  async *readCounted({ batch, counts }: CountedBatch): AsyncGenerator<readonly BatchLine[]> {
    let left = counts.succeeded + countFailed(counts)
    let cursor: string | null = null
    do {
      const { lines, next }: ResultPart = await this.read(batch, cursor)
      yield lines
      left -= lines.length
      cursor = lines.length === 0 || left <= 0 ? null : next
    } while (cursor !== null)
  }

  /** Cancels what has not started. A batch that has ended stays as it is. */
  async cancel(batch: Batch): Promise<Batch> {
    const { store, clock, runner } = this.#parts
    await endBatch(store, batch, { status: 'cancelled', reason: 'client', now: clock() })
    runner.wake(batch.id)
    return await this.find([batch.counter], batch.id)
  }

  /**
   * Lets the failures of a batch be scanned again.
   * @throws ApiError `invalid_request` for a cancelled batch, and if as many other batches are open as may be
   */
  async retry(batch: Batch, codes?: readonly string[]): Promise<Batch> {
    if (batch.status === 'cancelled') throw buildInvalidRequest('A cancelled batch cannot be retried. Submit it again.')
    const { batches } = this.#parts.store
    if (batch.status === 'completed' && (await batches.countOpen(batch.counter)) >= MAX_OPEN_BATCHES)
      throw buildTooManyOpen()
    await batches.retryFailures(batch.id, codes)
    this.#parts.runner.wake(batch.id)
    return await this.find([batch.counter], batch.id)
  }
}

function buildTooManyOpen(): ApiError {
  return buildInvalidRequest(`${MAX_OPEN_BATCHES} batches of this key are not completed. Wait for them, or cancel one.`)
}

/** The number of URLs whose scan failed. */
export function countFailed({ failures }: BatchCounts): number {
  return Object.values(failures).reduce((sum, n) => sum + n, 0)
}
