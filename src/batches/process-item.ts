import { LRUCache } from 'lru-cache'
import type { CacheEntry, SharedState } from '../coordination/types.ts'
import { API_ERRORS, ApiError, ScanError } from '../errors.ts'
import { listUrls } from '../fetch/list-urls.ts'
import type { Policy } from '../fetch/policy.ts'
import { parseTarget, type Target } from '../fetch/target.ts'
import { formatDay, formatMonth } from '../keys/calendar.ts'
import { hasExpired } from '../keys/key.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Key } from '../keys/types.ts'
import { type CurrentRules, RulesetChanged } from '../scan/current-rules.ts'
import type { LiveExtra } from '../scan/extras.ts'
import { buildCacheKey } from '../service/cache-entry.ts'
import { formatResult } from '../service/cached-response.ts'
import type { SingleFlight } from '../service/single-flight.ts'
import type { Batch, BatchUrl, ItemOutcome } from '../store/batch-types.ts'
import { type Store, StoreError } from '../store/types.ts'
import { endBatch } from './end-batch.ts'
import type { HostGate } from './host-gate.ts'

/** How long a scan may take, including its time in queues, in milliseconds. */
const WAIT_MS = 18_000
/**
 * How long a batch, a key and the usage of an account are remembered, in milliseconds: a cancelled batch, a revoked key or a used quota
 * ends the scans after this time.
 */
const MEMORY_MS = 1000
const MAX_REMEMBERED = 1000
/** A URL that failed this often for reasons of ours rests as a failure until it is retried. */
const MAX_TRIES = 3
/** Wait after the first failure of ours, in milliseconds; then four times longer each time. */
const FIRST_RETRY_MS = 1000
/** How long to wait while this process has too many scans. */
const CROWDED_MS = 1000

/** A URL of a batch that is to be scanned. */
export interface BatchJob extends BatchUrl {
  readonly batch: string
}

/**
 * What became of a URL: it has an outcome (`done`), its batch takes no more outcomes for now (`closed`), or it is to be tried again
 * after some milliseconds; `isBusy` if only its host needs time.
 */
export type Processed = 'done' | 'closed' | { readonly retryMs: number; readonly isBusy: boolean }

export interface ProcessorParts {
  readonly store: Pick<Store, 'batches' | 'keys' | 'usage'>
  readonly shared: SharedState
  readonly singleFlight: SingleFlight
  readonly policy: Policy
  readonly rules: CurrentRules
  readonly settings: { readonly plans: ReadonlyMap<string, Plan> }
  readonly gate: HostGate
  readonly clock: () => number
}

/** Scans the URLs of batches, each at least once, and stores and charges its outcome once. */
export class ItemProcessor {
  readonly #parts: ProcessorParts
  readonly #batches: LRUCache<string, { readonly batch: Batch | null }>
  readonly #keys: LRUCache<string, { readonly key: Key | null }>
  /** Usage of accounts. What is charged is compared with the quota by the store; this only saves scans that cannot be charged. */
  readonly #used: LRUCache<string, number>

  constructor(parts: ProcessorParts) {
    this.#parts = parts
    this.#batches = new LRUCache({ max: MAX_REMEMBERED, ttl: MEMORY_MS })
    this.#keys = new LRUCache({ max: MAX_REMEMBERED, ttl: MEMORY_MS })
    this.#used = new LRUCache({ max: MAX_REMEMBERED, ttl: MEMORY_MS })
  }

  /** @throws StoreError: whether the outcome was stored is unknown then, and the URL is to be processed again */
  async process(job: BatchJob): Promise<Processed> {
    const batch = await this.#findBatch(job.batch)
    if (batch === null || (batch.status !== 'running' && batch.status !== 'waiting')) return 'closed'
    const key = await this.#findKey(batch.key)
    if (key === null || !isValid(key, this.#parts.clock())) return await this.#cancel(batch)
    try {
      return await this.#scan(job, batch, key)
    } catch (error) {
      if (error instanceof StoreError) throw error
      if (error instanceof ApiError && error.code === 'unavailable') return { retryMs: CROWDED_MS, isBusy: false }
      if (error instanceof ScanError && error.reason === 'busy') return { retryMs: CROWDED_MS, isBusy: false }
      if (error instanceof ScanError && error.reason !== 'internal')
        return await this.#store(job, batch, key, { code: error.code, error: error.message })
      return await this.#fail(job, batch, key)
    }
  }

  /** Counts a failure of ours. */
  async #fail(job: BatchJob, batch: Batch, key: Key): Promise<Processed> {
    const tries = await this.#parts.store.batches.countTry(job.batch, job.position)
    if (tries < MAX_TRIES) return { retryMs: FIRST_RETRY_MS * 4 ** (tries - 1), isBusy: false }
    return await this.#store(job, batch, key, { code: 'internal', error: API_ERRORS.internal[1] })
  }

  async #scan(job: BatchJob, batch: Batch, key: Key): Promise<Processed> {
    const [url, fallback] = listUrls(job.url)
    const { policy } = this.#parts
    try {
      return await this.#scanTarget(job, parseTarget(url, policy), batch, key)
    } catch (error) {
      // As the command line does: a server without TLS refuses the connection.
      const isRefused = error instanceof ScanError && error.reason === 'connection_refused'
      if (!isRefused || fallback === undefined) throw error
      return await this.#scanTarget(job, parseTarget(fallback, policy), batch, key)
    }
  }

  async #scanTarget(job: BatchJob, target: Target, batch: Batch, key: Key): Promise<Processed> {
    const { gate, rules } = this.#parts
    for (;;) {
      const cacheKey = buildCacheKey(target.url, rules.current.version)
      const cached = batch.fresh ? null : await this.#findCached(cacheKey, batch)
      if (cached !== null) return await this.#storeEntry(job, batch, key, cached, true)
      if (await this.#isQuotaUsed(key)) return await this.#pause(batch)
      const lease = await gate.enter(target.url.hostname)
      if ('busyMs' in lease) return { retryMs: lease.busyMs, isBusy: true }
      try {
        const entry = await this.#join(job, target, batch, key)
        return await this.#storeEntry(job, batch, key, entry, false)
      } catch (error) {
        if (!(error instanceof RulesetChanged)) throw error
      } finally {
        await lease.release()
      }
    }
  }

  #join(job: BatchJob, target: Target, batch: Batch, key: Key): Promise<CacheEntry> {
    const { current: rules } = this.#parts.rules
    const order = { target, rules, cacheKey: buildCacheKey(target.url, rules.version), fresh: batch.fresh }
    const id = `${job.batch}/${job.position}`
    return this.#parts.singleFlight.join(order, { id, client: key.counter, waitMs: WAIT_MS })
  }

  async #findCached(entry: string, batch: Batch): Promise<CacheEntry | null> {
    const { shared, clock } = this.#parts
    const query = {
      counter: `batch:${batch.counter}`,
      now: clock(),
      cost: 0,
      entry,
      extras: batch.include.length > 0,
    } as const
    return (await shared.countRequest(query)).entry
  }

  async #isQuotaUsed(key: Key): Promise<boolean> {
    const { store, settings, clock } = this.#parts
    const month = formatMonth(clock())
    const used = await recall(this.#used, `${month} ${key.counter}`, () => store.usage.usedBy(key.counter, month))
    return used >= findLimits(settings.plans, key).perMonth
  }

  #storeEntry(job: BatchJob, batch: Batch, key: Key, entry: CacheEntry, cached: boolean): Promise<Processed> {
    const include = batch.include as readonly LiveExtra[]
    const { categories } = this.#parts.rules.current
    return this.#store(job, batch, key, { result: formatResult(entry, { cached, include, revision: 2, categories }) })
  }

  async #store(job: BatchJob, batch: Batch, key: Key, outcome: ItemOutcome): Promise<Processed> {
    const { store, settings, clock } = this.#parts
    const now = clock()
    const quota = findLimits(settings.plans, key).perMonth
    const charge = { counter: batch.counter, day: formatDay(now), at: new Date(now), quota }
    const stored = await store.batches.storeOutcome(job, outcome, 'result' in outcome ? charge : null)
    return stored === 'quota' ? await this.#pause(batch) : 'done'
  }

  async #pause(batch: Batch): Promise<'closed'> {
    const change = { status: 'paused', reason: 'quota_exceeded' } as const
    await this.#parts.store.batches.changeBatch(batch.id, ['waiting', 'running'], change)
    this.forget(batch.id)
    return 'closed'
  }

  async #cancel(batch: Batch): Promise<'closed'> {
    const { store, clock } = this.#parts
    await endBatch(store, batch, { status: 'cancelled', reason: 'key_revoked', now: clock() })
    this.forget(batch.id)
    return 'closed'
  }

  /** Forgets a batch that has changed. */
  forget(batch: string): void {
    this.#batches.delete(batch)
  }

  async #findBatch(id: string): Promise<Batch | null> {
    const { batches } = this.#parts.store
    return (await recall(this.#batches, id, async () => ({ batch: await batches.getBatch(id) }))).batch
  }

  async #findKey(id: string): Promise<Key | null> {
    const { keys } = this.#parts.store
    return (await recall(this.#keys, id, async () => ({ key: await keys.getKey(id) }))).key
  }
}

/** Returns what is remembered under an id, or reads and remembers it. */
async function recall<Value extends number | object>(
  remembered: LRUCache<string, Value>,
  id: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const known = remembered.get(id)
  if (known !== undefined) return known
  const value = await read()
  remembered.set(id, value)
  return value
}

/** Whether a batch of this key goes on. */
export function isValid(key: Key, now: number): boolean {
  return key.revokedAt === null && key.suspendedAt === null && !hasExpired(key, now)
}
