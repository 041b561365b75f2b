import type { Batch } from '../../store/batch-types.ts'
import type { Store } from '../../store/types.ts'
import { completeBatch } from '../end-batch.ts'
import type { BatchJob } from '../process-item.ts'

/** URLs of one counter that are in the queue at a time. A new batch waits for at most as many of each other counter. */
const WINDOW_URLS = 64
/** A job that is still to be done is added again after this time: Redis may have lost it. Adding an existing job does nothing. */
const REPEAT_MS = 5000

interface FeederParts {
  readonly store: Pick<Store, 'batches'>
  readonly clock: () => number
  /** Adds jobs to the end of the queue, except those that are in it. */
  readonly addJobs: (jobs: readonly BatchJob[]) => Promise<void>
  /** A batch was completed. */
  readonly onCompleted: () => void
}

/**
 * Moves URLs from the store to the queue: of each batch only the next ones, so that batches take turns, Redis stays small, and a
 * queue that was lost is filled again.
 */
export class QueueFeeder {
  readonly #parts: FeederParts
  /** When each job was added, by batch and position. */
  readonly #added = new Map<string, Map<number, number>>()

  constructor(parts: FeederParts) {
    this.#parts = parts
  }

  /** Fills the queue. @throws StoreError, and the error of the queue */
  async feed(): Promise<void> {
    const open = await this.#parts.store.batches.listOpenBatches()
    const active = open.filter(({ status }) => status !== 'paused')
    const ids = new Set(active.map(({ id }) => id))
    for (const id of this.#added.keys()) if (!ids.has(id)) this.#added.delete(id)
    const perCounter = new Map<string, number>()
    for (const { counter } of active) perCounter.set(counter, (perCounter.get(counter) ?? 0) + 1)
    const lists: (readonly BatchJob[])[] = []
    for (const batch of active) {
      const window = Math.max(4, Math.floor(WINDOW_URLS / (perCounter.get(batch.counter) ?? 1)))
      lists.push(await this.#listNew(batch, window))
    }
    const jobs = takeTurns(lists)
    if (jobs.length === 0) return
    await this.#parts.addJobs(jobs)
    const now = this.#parts.clock()
    for (const { batch, position } of jobs) this.#added.get(batch)?.set(position, now)
  }

  /** Lists the URLs of a batch that are to be added, and ends the batch if it has none without an outcome. */
  async #listNew(batch: Batch, window: number): Promise<readonly BatchJob[]> {
    const { store, clock, onCompleted } = this.#parts
    const { id, status, startedAt } = batch
    const urls = await store.batches.listWaiting(id, { turn: 0, position: 0 }, window)
    if (urls.length === 0) {
      if (await completeBatch(store, batch, clock())) onCompleted()
      return []
    }
    const now = clock()
    if (status === 'waiting')
      await store.batches.changeBatch(id, ['waiting'], { status: 'running', startedAt: startedAt ?? new Date(now) })
    const known = this.#added.get(id) ?? new Map<number, number>()
    this.#added.set(
      id,
      new Map(urls.flatMap(({ position }) => (known.has(position) ? [[position, known.get(position) ?? 0]] : []))),
    )
    return urls
      .filter(({ position }) => now - (known.get(position) ?? 0) >= REPEAT_MS)
      .map((url) => ({ ...url, batch: id }))
  }
}

/** Merges lists: the first of each, then the second of each. */
function takeTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list.slice(turn, turn + 1))).flat()
}
