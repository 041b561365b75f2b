/** Jobs of many hosts: so many at a time, one of each host, and a pause between two of one host. */
export interface PoliteOptions<T> {
  readonly jobs: AsyncIterable<T>
  readonly hostOf: (job: T) => string
  readonly run: (job: T) => Promise<void>
  readonly concurrency: number
  readonly pauseMs: number
  /** When it aborts no further job is begun. */
  readonly signal: AbortSignal
}

/** Jobs that are read ahead, so that a long row of one host does not hold up the others. */
const READ_AHEAD = 1000

/**
 * Runs every job. Resolves when none runs any more.
 * @throws what `run` or the jobs throw first; jobs that run by then are waited for
 */
export async function runPolitely<T>({
  jobs,
  hostOf,
  run,
  concurrency,
  pauseMs,
  signal,
}: PoliteOptions<T>): Promise<void> {
  const source = jobs[Symbol.asyncIterator]()
  const waiting: T[] = []
  const running = new Map<string, Promise<void>>()
  const readyAt = new Map<string, number>()
  let isDry = false
  let failure: { readonly error: unknown } | undefined

  const begin = (job: T): void => {
    const host = hostOf(job)
    const done = run(job)
      .catch((error) => (failure ??= { error }))
      .then(() => {
        running.delete(host)
        readyAt.set(host, performance.now() + pauseMs)
      })
    running.set(host, done)
  }
  const beginAll = (): void => {
    const now = performance.now()
    for (const [host, at] of readyAt) if (at <= now) readyAt.delete(host)
    for (let i = 0; i < waiting.length && running.size < concurrency; ) {
      const host = hostOf(waiting[i])
      if (running.has(host) || readyAt.has(host)) i++
      else begin(waiting.splice(i, 1)[0])
    }
  }
  while (failure === undefined && !signal.aborted) {
    while (!isDry && waiting.length < READ_AHEAD) {
      const { value, done } = await source.next()
      if (done) isDry = true
      else waiting.push(value)
    }
    beginAll()
    if (isDry && waiting.length === 0) break
    await nextChange([...running.values()], running.size < concurrency ? [...readyAt.values()] : [], signal)
  }
  await Promise.all(running.values())
  await source.return?.()
  if (failure !== undefined) throw failure.error
}

/** Waits until a job is done, a host is ready again, or all is over. */
async function nextChange(
  running: readonly Promise<void>[],
  readyAt: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const clean: (() => void)[] = []
  const changes: Promise<void>[] = [...running]
  if (readyAt.length > 0)
    changes.push(
      new Promise((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, Math.min(...readyAt) - performance.now()))
        clean.push(() => clearTimeout(timer))
      }),
    )
  changes.push(
    new Promise((resolve) => {
      const onAbort = (): void => resolve()
      signal.addEventListener('abort', onAbort)
      clean.push(() => signal.removeEventListener('abort', onAbort))
      if (signal.aborted) resolve()
    }),
  )
  await Promise.race(changes)
  for (const end of clean) end()
}
