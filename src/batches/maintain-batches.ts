import type { FastifyBaseLogger } from 'fastify'
import type { Policy } from '../fetch/policy.ts'
import { formatMonth } from '../keys/calendar.ts'
import { findLimits, type Plan } from '../keys/plans.ts'
import type { Batch } from '../store/batch-types.ts'
import type { Store } from '../store/types.ts'
import { endBatch } from './end-batch.ts'
import { isValid } from './process-item.ts'
import type { WebhookSender } from './webhook.ts'

/** Milliseconds between two rounds. */
const ROUND_MS = 15_000
/** A cancelled batch is settled after this time: no scan that was running takes longer. */
const SETTLE_AFTER_MS = 60_000
/** A batch that was created but not opened belongs to a process that was killed. */
const UNOPENED_MS = 600_000
/** Webhooks that are sent at a time: a receiver that does not respond takes ten seconds, and must not delay the others. */
const SENT_AT_ONCE = 32
const DAY_MS = 86_400_000
/** Days after which a batch that is not completed is cancelled: long enough for a quota to come back. */
const MAX_OPEN_DAYS = 40

export interface MaintenanceParts {
  readonly store: Pick<Store, 'batches' | 'keys' | 'usage'>
  readonly settings: { readonly plans: ReadonlyMap<string, Plan>; readonly batchDays: number }
  readonly policy: Policy
  readonly clock: () => number
  readonly log: FastifyBaseLogger
  readonly webhooks: WebhookSender
}

interface MaintenanceEvents {
  readonly onResumed: (id: string) => void
  /** Whether this process is the one that maintains batches; absent if there is no other. */
  readonly isActive?: () => boolean
}

/** What is done for batches apart from scanning: continuing paused ones, webhooks, settling of charges, deletion. */
export class BatchMaintenance {
  readonly #parts: MaintenanceParts
  readonly #events: MaintenanceEvents
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> | null = null
  #isWanted = false
  #isClosed = false

  constructor(parts: MaintenanceParts, events: MaintenanceEvents) {
    this.#parts = parts
    this.#events = events
  }

  start(): void {
    this.runSoon()
  }

  /** Runs a round now, or after the one that runs. */
  runSoon(): void {
    if (this.#isClosed) return
    this.#isWanted = true
    if (this.#round !== null) return
    clearTimeout(this.#timer)
    this.#round = this.#run().finally(() => {
      this.#round = null
      if (this.#isClosed) return
      if (this.#isWanted) this.runSoon()
      else this.#timer = setTimeout(() => this.runSoon(), ROUND_MS).unref()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#round
  }

  async #run(): Promise<void> {
    this.#isWanted = false
    if (this.#events.isActive?.() === false) return
    try {
      await this.#reviewOpen()
      await this.#settle()
      await this.#sendWebhooks()
      await this.#deleteOld()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#parts.log.warn({ why }, 'batches could not be maintained: the next round tries again')
    }
  }

  async #sendWebhooks(): Promise<void> {
    const { store, webhooks, clock } = this.#parts
    const due = await store.batches.listDueWebhooks(clock())
    for (let start = 0; start < due.length && !this.#isClosed; start += SENT_AT_ONCE)
      await Promise.all(due.slice(start, start + SENT_AT_ONCE).map((batch) => webhooks.send(batch)))
  }

  /** Continues batches whose quota has come back, and ends those that have waited too long. */
  async #reviewOpen(): Promise<void> {
    const { store, clock } = this.#parts
    const now = clock()
    for (const batch of await store.batches.listOpenBatches()) {
      if (now - batch.createdAt.getTime() > MAX_OPEN_DAYS * DAY_MS)
        await endBatch(store, batch, { status: 'cancelled', reason: 'expired', now })
      else if (batch.status === 'paused') await this.#reviewPaused(batch, now)
      // A command may have reopened it.
      else if (batch.status === 'waiting') this.#events.onResumed(batch.id)
    }
  }

  async #reviewPaused(batch: Batch, now: number): Promise<void> {
    const { store, settings } = this.#parts
    const key = await store.keys.getKey(batch.key)
    if (key === null || !isValid(key, now))
      return await endBatch(store, batch, { status: 'cancelled', reason: 'key_revoked', now })
    const used = await store.usage.usedBy(batch.counter, formatMonth(now))
    if (used >= findLimits(settings.plans, key).perMonth) return
    if (await store.batches.changeBatch(batch.id, ['paused'], { status: 'running', reason: null }))
      this.#events.onResumed(batch.id)
  }

  async #settle(): Promise<void> {
    const { batches } = this.#parts.store
    for (const { id } of await batches.listUnsettledBatches(this.#parts.clock() - SETTLE_AFTER_MS))
      await batches.settleBatch(id)
  }

  async #deleteOld(): Promise<void> {
    const { store, settings, clock } = this.#parts
    const times = { before: clock() - settings.batchDays * DAY_MS, unopened: clock() - UNOPENED_MS }
    while (!this.#isClosed && (await store.batches.deleteBatches(times)));
  }
}
