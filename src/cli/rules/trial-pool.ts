import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { POOL_ARGS } from '../../async/pool-args.ts'
import type { TrialResult } from './run-trials.ts'
import type { TrialRules, TrialTask } from './trial-worker.ts'

/** Heap limit of each thread, as for pages that are matched one by one. */
const MAX_OLD_MB = 512
const MIN_CHECK_MS = 10
const MAX_CHECK_MS = 250

/** Threads that run whole tests of rules: sending each page to a thread and its verdict back takes longer than detecting it. */
export class TrialPool {
  readonly #workers: Piscina<TrialTask, TrialResult>
  readonly #timeoutMs: number

  /** @param timeoutMs time limit per page */
  constructor(
    workerData: TrialRules,
    { threads, timeoutMs }: { readonly threads: number; readonly timeoutMs: number },
  ) {
    this.#timeoutMs = timeoutMs
    this.#workers = new Piscina({
      execArgv: POOL_ARGS,
      filename: fileURLToPath(new URL('trial-worker.js', import.meta.url)),
      minThreads: threads,
      maxThreads: threads,
      resourceLimits: { maxOldGenerationSizeMb: MAX_OLD_MB },
      workerData,
      recordTiming: false,
    })
    this.#workers.on('error', () => {}) // The task of the thread fails, too.
  }

  /**
   * Runs tests and pages. Returns null if a page took too long or has ended its thread: then each page has to be matched alone, with a
   * limit that counts processor time, to find out which one.
   */
  async run(task: Omit<TrialTask, 'clock'>): Promise<TrialResult | null> {
    const clock = new Int32Array(new SharedArrayBuffer(8))
    const late = new AbortController()
    const timer = this.#watch(clock, late)
    try {
      const result = await this.#workers.run({ ...task, clock }, { signal: late.signal })
      return result.longestMs < this.#timeoutMs ? result : null
    } catch {
      return null
    } finally {
      clearInterval(timer)
    }
  }

  /** Ends the thread of a task that is on one page for too long. */
  #watch(clock: Int32Array, late: AbortController): NodeJS.Timeout {
    let page = 0
    let since = performance.now()
    const check = (): void => {
      const begun = Atomics.load(clock, 0)
      const isIdle = begun === Atomics.load(clock, 1)
      if (isIdle || begun !== page) since = performance.now()
      page = begun
      if (performance.now() - since >= this.#timeoutMs) late.abort()
    }
    return setInterval(check, Math.max(MIN_CHECK_MS, Math.min(MAX_CHECK_MS, this.#timeoutMs / 4)))
  }

  async close(): Promise<void> {
    await this.#workers.destroy()
  }
}
