import type { Batch, BatchUrl } from '../../store/batch-types.ts'
import type { Store } from '../../store/types.ts'
import { completeBatch } from '../end-batch.ts'
import type { BatchJob } from '../process-item.ts'

/** URLs of one counter that are in the queue at a time. */
const WINDOW_URLS = 64
/** A job that is still to be done is added again after this time: Redis may have lost it. Adding an existing job does nothing. */
const REPEAT_MS = 5000
/** Priorities begin again above this one: BullMQ permits at most 2,097,151. */
const MAX_PRIORITY = 2_000_000
/** The first URLs of a batch cost a quarter of the others, so that a short batch is soon done while large ones run. */
const FIRST_URLS = 16
const LATER_COST = 4

/** A job with its place in the queue: lower priorities are taken first. */
export interface RankedJob {
  readonly job: BatchJob
  readonly priority: number
}

interface FeederParts {
  readonly store: Pick<Store, 'batches'>
  readonly clock: () => number
  /** Adds jobs to the queue, except those that are in it. */
  readonly addJobs: (jobs: readonly RankedJob[]) => Promise<void>
  /** Reads the priority of the job that is taken next; null if no job waits. */
  readonly readFirstPriority: () => Promise<number | null>
  /** Removes all jobs that are not being processed. */
  readonly emptyQueue: () => Promise<void>
  /** A batch was completed. */
  readonly onCompleted: () => void
}

/** What the feeder knows of a batch. */
interface FedBatch {
  /** The priority of the job that was added last. */
  last: number
  /** When each job was added, and with which priority, by position. */
  readonly jobs: Map<number, { readonly at: number; readonly priority: number }>
}

/**
 * Moves URLs from the store to the queue: of each batch only the next ones, so that Redis stays small, and a queue that was lost is
 * filled again. Batches take turns by start-time fair queueing (Goyal et al. 1996): the priority of a job is that of the job before it in
 * its batch plus the number of batches of its key (four times as much after the first URLs of the batch), but not below the priority that
 * the queue has reached. So a new batch is not behind the URLs that already wait, and batches that were idle gain nothing by it.
 */
export class QueueFeeder {
  readonly #parts: FeederParts
  readonly #fed = new Map<string, FedBatch>()
  /** The priority that the queue has reached; null before the first round. */
  #reached: number | null = null

  constructor(parts: FeederParts) {
    this.#parts = parts
  }

  /** Forgets what is in the queue: the next round empties it and fills it again. */
  reset(): void {
    this.#reached = null
  }

  /** Fills the queue. @throws StoreError, and the error of the queue */
  async feed(): Promise<void> {
    const open = await this.#parts.store.batches.listOpenBatches()
    const active = open.filter(({ status }) => status !== 'paused')
    const ids = new Set(active.map(({ id }) => id))
    for (const id of this.#fed.keys()) if (!ids.has(id)) this.#fed.delete(id)
    const reached = await this.#advance()
    const perCounter = new Map<string, number>()
    for (const { counter } of active) perCounter.set(counter, (perCounter.get(counter) ?? 0) + 1)
    const jobs: RankedJob[] = []
    for (const batch of active) jobs.push(...(await this.#listNew(batch, perCounter.get(batch.counter) ?? 1, reached)))
    if (jobs.length === 0) return
    await this.#parts.addJobs(jobs.sort((a, b) => a.priority - b.priority))
    this.#note(jobs)
  }

  /** Determines the priority that the queue has reached. */
  async #advance(): Promise<number> {
    const highest = Math.max(0, ...[...this.#fed.values()].map(({ last }) => last))
    if (this.#reached === null || highest > MAX_PRIORITY) {
      await this.#parts.emptyQueue()
      this.#fed.clear()
      this.#reached = 0
    } else this.#reached = Math.max(this.#reached, (await this.#parts.readFirstPriority()) ?? highest)
    return this.#reached
  }

  #note(jobs: readonly RankedJob[]): void {
    const at = this.#parts.clock()
    for (const { job, priority } of jobs) {
      const fed = this.#fed.get(job.batch)
      if (fed === undefined) continue
      fed.last = Math.max(fed.last, priority)
      fed.jobs.set(job.position, { at, priority })
    }
  }

  /**
   * Lists the URLs of a batch that are to be added, and ends the batch if it has none without an outcome.
   * @param batches number of batches of its counter
   */
  async #listNew(batch: Batch, batches: number, reached: number): Promise<readonly RankedJob[]> {
    const { store, clock, onCompleted } = this.#parts
    const { id, status, startedAt } = batch
    const window = Math.max(4, Math.floor(WINDOW_URLS / batches))
    const urls = await store.batches.listWaiting(id, { turn: 0, position: 0 }, window)
    if (urls.length === 0) {
      if (await completeBatch(store, batch, clock())) onCompleted()
      return []
    }
    const now = clock()
    if (status === 'waiting')
      await store.batches.changeBatch(id, ['waiting'], { status: 'running', startedAt: startedAt ?? new Date(now) })
    const { last, jobs: added } = this.#fed.get(id) ?? { last: 0, jobs: new Map() }
    let priority = Math.max(last, reached)
    const jobs = urls.flatMap((url) => {
      const known = added.get(url.position)
      if (known !== undefined && now - known.at < REPEAT_MS) return []
      if (known === undefined) priority += url.position < FIRST_URLS ? batches : batches * LATER_COST
      return [{ job: { ...url, batch: id }, priority: known?.priority ?? priority }]
    })
    this.#fed.set(id, { last, jobs: keepOnly(added, urls) })
    return jobs
  }
}

/** The entries of these URLs. */
function keepOnly<T>(jobs: ReadonlyMap<number, T>, urls: readonly BatchUrl[]): Map<number, T> {
  const positions = new Set(urls.map(({ position }) => position))
  return new Map([...jobs].filter(([position]) => positions.has(position)))
}
