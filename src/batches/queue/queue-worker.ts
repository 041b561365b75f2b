import { createNodeRedisClient, DelayedError, type Job, Queue, Worker } from 'bullmq'
import { createClient } from 'redis'
import type { RunScript } from '../../coordination/redis/connection.ts'
import { StoreError } from '../../store/types.ts'
import { BatchMaintenance, type MaintenanceParts } from '../maintain-batches.ts'
import { type BatchJob, ItemProcessor, type Processed, type ProcessorParts } from '../process-item.ts'
import { keepAdapting } from './adapt-concurrency.ts'
import { QueueFeeder, type RankedJob } from './feed-queue.ts'
import { Leader } from './leader.ts'

const QUEUE = 'batches'
const PREFIX = 'siteprint'
/** Life of the lock of a job, which its worker renews. The jobs of a killed worker go to another one after this time. */
const LOCK_MS = 30_000
const STALLED_MS = 5000
/** A job whose workers were killed this often is dropped; the next round of the feeder adds it again. */
const MAX_STALLED = 10
/** Wait after a failure of the store, in milliseconds. */
const STORE_RETRY_MS = 1000
/** Milliseconds between two rounds of the leader. */
const FEED_MS = 200
const FOLLOW_MS = 1000

/** What happened to a job, for the metrics. */
export type JobOutcome = 'done' | 'closed' | 'host_busy' | 'retried' | 'store_away'

type WorkerParts = ProcessorParts &
  MaintenanceParts & {
    readonly redisUrl: string
    /** Runs scripts on the same Redis. */
    readonly run: RunScript
    /** URLs that are scanned at a time; fewer while the processors are the limit. */
    readonly concurrency: number
    /** The number of fetched pages that wait for a thread that matches them. */
    readonly countWaitingPages: () => number
    readonly onJob: (outcome: JobOutcome) => void
  }

/** A running worker. */
export interface QueueWorker {
  /** Whether Redis answers. */
  readonly isReady: () => boolean
  /** Numbers of jobs by state. */
  readonly countJobs: () => Promise<Readonly<Record<string, number>>>
  /** Takes no more jobs, and completes those that run. */
  readonly close: () => Promise<void>
}

/**
 * Opens a worker on the queue of all workers (BullMQ). Each scans URLs; one of them, the leader, fills the queue and maintains batches.
 * The store decides which URLs are to be scanned: what Redis loses is added again.
 */
export async function openQueueWorker(parts: WorkerParts): Promise<QueueWorker> {
  const client = createClient({ url: parts.redisUrl, maintNotifications: 'disabled', pingInterval: 1000 })
  client.on('error', ({ message }: Error) => parts.log.debug({ why: message }, 'Redis error of the queue'))
  await client.connect()
  const connection = createNodeRedisClient(client)
  const queue = new Queue<BatchJob>(QUEUE, { connection, prefix: PREFIX })
  const processor = new ItemProcessor(parts)
  const worker = new Worker<BatchJob>(QUEUE, (job, token) => runJob(job, token, parts, processor), {
    connection,
    prefix: PREFIX,
    concurrency: parts.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_MS,
    maxStalledCount: MAX_STALLED,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  })
  const logError = ({ message }: Error): void => parts.log.debug({ why: message }, 'error of the queue')
  queue.on('error', logError)
  worker.on('error', logError)
  const stopLeading = startLeading(parts, queue)
  const stopAdapting = keepAdapting(worker, parts.countWaitingPages)
  return {
    isReady: () => client.isReady,
    countJobs: async () => {
      const { prioritized = 0, active = 0, delayed = 0 } = await queue.getJobCounts('prioritized', 'active', 'delayed')
      return { waiting: prioritized, active, delayed }
    },
    close: async () => {
      stopAdapting()
      await stopLeading()
      await worker.close()
      await queue.close()
      client.destroy()
    },
  }
}

/** Processes a job, or puts it back. */
async function runJob(
  job: Job<BatchJob>,
  token: string | undefined,
  { onJob, log }: WorkerParts,
  processor: ItemProcessor,
): Promise<void> {
  let processed: Processed
  try {
    processed = await processor.process(job.data)
  } catch (error) {
    if (!(error instanceof StoreError)) log.error({ err: error }, 'unexpected error of a batch')
    onJob('store_away')
    processed = { retryMs: STORE_RETRY_MS, isBusy: true }
  }
  if (processed === 'done' || processed === 'closed') {
    onJob(processed)
    return
  }
  onJob(processed.isBusy ? 'host_busy' : 'retried')
  await job.moveToDelayed(Date.now() + processed.retryMs, token)
  throw new DelayedError()
}

/** Fills the queue and maintains batches while this worker is the leader. @returns a function that ends it */
function startLeading(parts: WorkerParts, queue: Queue<BatchJob>): () => Promise<void> {
  const leader = new Leader(parts.run)
  let isLeading = false
  const maintenance = new BatchMaintenance(parts, { onResumed: () => {}, isActive: () => isLeading })
  const feeder = new QueueFeeder({
    ...parts,
    addJobs: (jobs) => addJobs(queue, jobs),
    readFirstPriority: async () => (await queue.getPrioritized(0, 0)).at(0)?.opts.priority ?? null,
    emptyQueue: () => queue.drain(true),
    onCompleted: () => maintenance.runSoon(),
  })
  let isEnded = false
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> = Promise.resolve()
  const run = async (): Promise<void> => {
    const leads = await leader.lead()
    const isNew = leads && !isLeading
    isLeading = leads
    if (isNew) {
      feeder.reset()
      maintenance.start()
    }
    if (leads)
      await feeder.feed().catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        parts.log.warn({ why }, 'the queue of batches could not be filled: the next round tries again')
      })
    if (!isEnded) timer = setTimeout(start, leads ? FEED_MS : FOLLOW_MS)
  }
  const start = (): void => {
    round = run()
  }
  start()
  return async () => {
    isEnded = true
    clearTimeout(timer)
    await round
    await maintenance.close()
    await leader.resign()
  }
}

/**
 * Adds jobs to the queue. The first one is added alone: only outside of a transaction does the adapter send a script again that a
 * restarted Redis no longer has, and in a transaction its error is not thrown (BullMQ 6.7, `node-redis-client.js`).
 */
async function addJobs(queue: Queue<BatchJob>, [first, ...others]: readonly RankedJob[]): Promise<void> {
  const build = ({ job: data, priority }: RankedJob) => ({
    name: 'scan',
    data,
    opts: { jobId: `${data.batch}-${data.position}`, priority },
  })
  if (first === undefined) return
  const { name, data, opts } = build(first)
  await queue.add(name, data, opts)
  if (others.length > 0) await queue.addBulk(others.map(build))
}
