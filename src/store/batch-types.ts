/** States of a batch that clients see. A batch whose URLs are still being written, or that is to be deleted, is not found. */
export const BATCH_STATUSES = ['waiting', 'running', 'paused', 'completed', 'cancelled'] as const
export type BatchStatus = (typeof BATCH_STATUSES)[number]
/** A batch in one of these states has URLs that are still to be scanned. */
export const OPEN_STATUSES = ['waiting', 'running', 'paused'] as const satisfies readonly BatchStatus[]
/** The states, also of a batch that clients do not see yet, in which it counts as open. */
export const COUNTED_STATUSES = ['loading', ...OPEN_STATUSES] as const

/** Why a batch is paused or was cancelled. */
export const BATCH_REASONS = ['quota_exceeded', 'client', 'key_revoked', 'expired'] as const
export type BatchReason = (typeof BATCH_REASONS)[number]

/** One attempt to deliver a webhook. */
export interface WebhookAttempt {
  readonly at: string
  /** The status of the response; null if there was none. */
  readonly status: number | null
  /** Why there was none. */
  readonly error: string | null
}

/** The request that tells a client that its batch has ended. */
export interface BatchWebhook {
  readonly url: string
  readonly state: 'waiting' | 'delivered' | 'failed'
  readonly attempts: readonly WebhookAttempt[]
  /** The time of the next attempt, in milliseconds since 1970; null before the end of the batch and after the last attempt. */
  readonly nextAt: number | null
}

/** A list of URLs that is scanned in the background. */
export interface Batch {
  readonly id: string
  /** Id of the API key with which it was submitted. */
  readonly key: string
  /** The counter to which its scans are charged. All keys of this counter see the batch. */
  readonly counter: string
  readonly account: string | null
  readonly status: BatchStatus
  readonly reason: BatchReason | null
  /** Number of URLs. */
  readonly total: number
  /** Extras of each result. */
  readonly include: readonly string[]
  /** Whether cached results are ignored. */
  readonly fresh: boolean
  readonly createdAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** The value of the header `Idempotency-Key`. */
  readonly idempotencyKey: string | null
  /** Hash of the request, by which a repeated one is recognized. */
  readonly fingerprint: string
  readonly webhook: BatchWebhook | null
}

/** A URL of a batch, as it is submitted. */
export interface BatchUrl {
  /** From 0 on, in the order of the list. */
  readonly position: number
  /** The submitted text. */
  readonly url: string
  /** How many URLs of the same host precede it in the batch. URLs are taken in this order, so that no host blocks the others. */
  readonly turn: number
}

/** The end of the scan of one URL: the result as JSON, or the error as clients see it. */
export type ItemOutcome = { readonly result: string } | { readonly code: string; readonly error: string }

/** The charge of one success, as of a scan. */
export interface ItemCharge {
  readonly counter: string
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string
  readonly at: Date
  /** Requests that may be charged in the month. */
  readonly quota: number
}

/** A line of the results of a batch. */
export type BatchLine = { readonly position: number; readonly url: string } & ItemOutcome

/** A part of the results, in the order of completion. */
export interface BatchPart {
  readonly lines: readonly BatchLine[]
  /** Where the next part begins. */
  readonly cursor: string
  /** Whether more lines can be read at the moment. */
  readonly hasMore: boolean
}

/** Numbers of the URLs of a batch. */
export interface BatchCounts {
  /** URLs without an outcome. */
  readonly waiting: number
  readonly succeeded: number
  /** Failed URLs by error code. */
  readonly failures: Readonly<Record<string, number>>
}

/** What may be changed of a batch. */
export type BatchChange = Partial<Pick<Batch, 'status' | 'reason' | 'startedAt' | 'finishedAt' | 'webhook'>>

/** Selects batches of counters, newest first. */
export interface BatchQuery {
  readonly counters: readonly string[]
  readonly limit: number
  /** Only batches created before this one; absent for the newest. */
  readonly before?: string
}

/** Which lines of the results are read. */
export interface PartQuery {
  /** The cursor of the part before; null for the first one. */
  readonly after: string | null
  readonly limit: number
}

/**
 * Batches with their URLs and results. A URL gets its outcome once: the first process that has one stores it, and a success and its charge belong
 * together, so that in the end the charges of a batch equal its successes, whichever process was killed.
 */
export interface BatchStore {
  /**
   * Creates a batch without URLs, which is not found until `openBatch`. With the idempotency key of an existing batch of the same
   * counter nothing is created. Batches take their place among those that may be open when they are created, so that requests at
   * the same time cannot exceed the limit; if they compete for the last place, it may be that none of them gets it.
   * @param maxOpen batches of the counter that may be open at a time
   * @returns the created batch, or the existing one and whether it has been opened; null if as many batches are open already
   */
  createBatch(
    batch: Batch,
    maxOpen: number,
  ): Promise<{ readonly batch: Batch; readonly isNew: boolean; readonly isOpen: boolean } | null>
  /** The number of batches of a counter that are open or whose URLs are being written. */
  countOpen(counter: string): Promise<number>
  /** Adds URLs to a batch that is not open yet. Those that it already has stay as they are. */
  addUrls(id: string, urls: readonly BatchUrl[]): Promise<void>
  /** Opens a batch whose URLs are complete. @returns false if there is no such batch */
  openBatch(id: string): Promise<boolean>
  /** @returns null if there is no such batch */
  getBatch(id: string): Promise<Batch | null>
  /** Batches of counters, newest first. */
  listBatches(query: BatchQuery): Promise<readonly Batch[]>
  /** Batches of all counters with URLs that are to be scanned, oldest first. */
  listOpenBatches(): Promise<readonly Batch[]>
  /** Batches of all counters that have a URL that failed with one of these codes, newest first. */
  listFailedBatches(codes: readonly string[], limit: number): Promise<readonly Batch[]>
  /** Ended batches whose webhook is due. */
  listDueWebhooks(now: number): Promise<readonly Batch[]>
  countItems(id: string): Promise<BatchCounts>
  /** URLs without an outcome, in the order in which they are to be taken, from a place of this order on. */
  listWaiting(id: string, from: Pick<BatchUrl, 'turn' | 'position'>, limit: number): Promise<readonly BatchUrl[]>
  /**
   * Stores the outcome of a URL. A success is charged.
   * @param charge of a success; null for a failure
   * @returns `already` if the URL has an outcome or its batch is gone; `quota` if the quota is used up. In both cases nothing is stored
   */
  storeOutcome(
    item: { readonly batch: string; readonly position: number },
    outcome: ItemOutcome,
    charge: ItemCharge | null,
  ): Promise<'stored' | 'already' | 'quota'>
  /** Counts a failure of ours to scan a URL. @returns how often that has happened to it */
  countTry(batch: string, position: number): Promise<number>
  readPart(id: string, query: PartQuery): Promise<BatchPart>
  /** Changes a batch if it is in one of these states. @returns false if it is not */
  changeBatch(id: string, from: readonly BatchStatus[], change: BatchChange): Promise<boolean>
  /**
   * Lets URLs that failed be scanned again, and reopens the batch. Successes stay as they are.
   * @param codes only those with these error codes; absent for all
   * @returns the number of URLs
   */
  retryFailures(id: string, codes?: readonly string[]): Promise<number>
  /** Ended batches whose charges are not settled yet, and that ended before a time in milliseconds since 1970. */
  listUnsettledBatches(before: number): Promise<readonly Batch[]>
  /** Makes the charges of an ended batch equal to its successes, where a killed process has charged without storing. */
  settleBatch(id: string): Promise<void>
  /**
   * Deletes some of what is no longer kept: batches that ended before a time, and those that were never opened.
   * @param before milliseconds since 1970; `unopened` that of batches that were created but not opened
   * @returns whether there is more to delete
   */
  deleteBatches(times: { readonly before: number; readonly unopened: number }): Promise<boolean>
}
