/** Whether a job needs a pause after it: only if it has contacted its host. */
export type PauseAfter = 'pause' | 'none'

/** Jobs of many hosts, with limits in total and per host. */
export interface PerHostOptions<T> {
  readonly jobs: AsyncIterable<T>
  readonly readHost: (job: T) => string
  readonly run: (job: T) => Promise<PauseAfter>
  /** Jobs that run at a time, one per host. */
  readonly concurrency: number
  /** Pause between two jobs of one host. */
  readonly pauseMs: number
  /** Once it aborts, no other job starts. */
  readonly signal: AbortSignal
}

/** Maximum number of jobs that are read ahead, so that a long run of one host does not hold up the others. */
const MAX_READ_AHEAD = 1000

/**
 * Runs every job, one at a time per host. Resolves once none is running.
 * @throws the first error of `run`, after the jobs that are running have finished; any error of `jobs`
 */
export async function runPerHost<T>(options: PerHostOptions<T>): Promise<void> {
  const source = options.jobs[Symbol.asyncIterator]()
  const scheduler = new Scheduler(options)
  let isExhausted = false
  while (scheduler.failure === undefined && !options.signal.aborted) {
    while (!isExhausted && scheduler.queue.length < MAX_READ_AHEAD) {
      const { value, done } = await source.next()
      if (done) isExhausted = true
      else scheduler.queue.push(value)
    }
    scheduler.startReady()
    if (isExhausted && scheduler.queue.length === 0) break
    await scheduler.nextChange()
  }
  await scheduler.finish()
  await source.return?.()
  if (scheduler.failure !== undefined) throw scheduler.failure.error
}

class Scheduler<T> {
  readonly queue: T[] = []
  failure: { readonly error: unknown } | undefined
  readonly #options: PerHostOptions<T>
  readonly #running = new Map<string, Promise<void>>()
  readonly #readyAt = new Map<string, number>()

  constructor(options: PerHostOptions<T>) {
    this.#options = options
  }

  /** Starts every queued job whose host is free, in the order of the queue. */
  startReady(): void {
    const now = performance.now()
    for (const [host, at] of this.#readyAt) if (at <= now) this.#readyAt.delete(host)
    for (let i = 0; i < this.queue.length && this.#running.size < this.#options.concurrency; ) {
      const host = this.#options.readHost(this.queue[i])
      if (this.#running.has(host) || this.#readyAt.has(host)) i++
      else this.#start(host, this.queue.splice(i, 1)[0])
    }
  }

  /** Waits until a job is done, a host is ready again, or the run is aborted. */
  nextChange(): Promise<void> {
    const { concurrency, signal } = this.#options
    const readyAt = this.#running.size < concurrency ? [...this.#readyAt.values()] : []
    return waitForChange([...this.#running.values()], readyAt, signal)
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running.values())
  }

  #start(host: string, job: T): void {
    const { run, pauseMs } = this.#options
    const done = run(job)
      .catch((error: unknown): PauseAfter => {
        this.failure ??= { error }
        return 'pause'
      })
      .then((after) => {
        this.#running.delete(host)
        if (after === 'pause') this.#readyAt.set(host, performance.now() + pauseMs)
      })
    this.#running.set(host, done)
  }
}

async function waitForChange(
  running: readonly Promise<void>[],
  readyAt: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const cleanups: (() => void)[] = []
  const changes: Promise<void>[] = [...running]
  if (readyAt.length > 0)
    changes.push(
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, Math.min(...readyAt) - performance.now()))
        cleanups.push(() => clearTimeout(timer))
      }),
    )
  changes.push(
    new Promise((resolve) => {
      const onAbort = (): void => resolve()
      signal.addEventListener('abort', onAbort)
      cleanups.push(() => signal.removeEventListener('abort', onAbort))
      if (signal.aborted) resolve()
    }),
  )
  await Promise.race(changes)
  for (const cleanUp of cleanups) cleanUp()
}
