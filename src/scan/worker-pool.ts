import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { Stop } from '../async/cancellable-timer.ts'
import { ScanError, SetupError } from '../errors.ts'
import { type LoadOptions, loadRuleset, type PageInput } from '../index.ts'
import { MatchQueue, type QueuedMatch } from './match-queue.ts'
import type { Matched, RulesetInfo, Task } from './match-worker.ts'
import { ownBytes } from './own-bytes.ts'

/** How pages are matched; the rules are those of `loadRuleset`. */
export interface PoolOptions extends LoadOptions {
  /** Pages matched at once; by default one core is left to the main thread, and 4 are the most. */
  readonly threads?: number
  /**
   * Workers beyond `threads` that have loaded the rules and wait; 1 by default. One takes the place of a killed worker at
   * once; otherwise each kill would cost the other pages the time to load the rules.
   */
  readonly spares?: number
  /**
   * Milliseconds that a page may take in a worker that has its rules; 1000 by default. Up to three times as long while the
   * whole process gets less processor time than that.
   */
  readonly matchMs?: number
  /** Pages that may wait for a worker; 128 by default. */
  readonly maxWaiting?: number
  /** Milliseconds that a page may wait once the workers are ready; 2000 by default. */
  readonly maxWaitMs?: number
  /** Milliseconds in which the workers have to be ready; 30,000 by default. */
  readonly loadMs?: number
  /** Megabytes of each worker's old generation; 256 by default. Node's own `--max-old-space-size` overrules it. */
  readonly maxOldMb?: number
  /** The compiled file of the worker; by default the one beside this module. Tests, which run from sources, bring one. */
  readonly worker?: string
}

export interface MatchOptions {
  /** Ends the match; it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** On whose behalf the page is matched, for example a key's id. Workers are shared fairly between clients. */
  readonly client?: string
}

/** Matches pages off the main thread. */
export interface MatchPool {
  /**
   * Builds the page and detects. Bytes of `html` are moved to the worker: whoever gave them has them no more.
   * @throws ScanError `worker_killed` for a page that took too long or too much memory, `busy`, `internal`; the signal's
   *   reason when that aborts
   */
  match(input: PageInput, options?: MatchOptions): Promise<Matched>
  /**
   * Waits until every worker has loaded the rules.
   * @throws what `loadRuleset` throws
   */
  readonly ready: Promise<RulesetInfo>
  /** Pages without a worker. */
  readonly waiting: number
  /** Pages with a worker; one that replaces a killed worker may still be loading. */
  readonly running: number
  /** Ends all workers; pages that wait or run fail with `internal`. */
  close(): Promise<void>
}

/** Starts the workers. A pool without pages does not keep the process alive. */
export function openPool(options: PoolOptions = {}): MatchPool {
  return new WorkerPool(options)
}

/** How much longer a match may take on a machine that is short of processor time, and the shortest time between two checks. */
const MAX_STRETCH = 3
const MIN_CHECK_MS = 10
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

class WorkerPool implements MatchPool {
  readonly ready: Promise<RulesetInfo>
  readonly #rules: LoadOptions
  readonly #limits: {
    readonly threads: number
    workers: number
    matchMs: number
    maxWaiting: number
    maxWaitMs: number
  }
  readonly #workers: Piscina
  readonly #queue = new MatchQueue()
  readonly #waiting = new Set<Stop>()
  readonly #running = new Map<number, Stop>()
  #lastId = 0
  #isReady = false
  #closed: Promise<void> | undefined
  /** Why a worker could not be replaced, for the log. */
  #fault: unknown

  constructor({ folders = [], detectors = [], ...options }: PoolOptions) {
    const { threads = Math.min(4, Math.max(1, availableParallelism() - 1)), maxOldMb = 256 } = options
    const { spares = 1, matchMs = 1000, maxWaiting = 128, maxWaitMs = 2000 } = options
    const workers = threads + spares
    this.#limits = { threads, workers, matchMs, maxWaiting, maxWaitMs }
    this.#rules = { folders, detectors }
    this.#workers = new Piscina({
      filename: options.worker ?? fileURLToPath(new URL('match-worker.js', import.meta.url)),
      minThreads: workers,
      maxThreads: workers,
      resourceLimits: { maxOldGenerationSizeMb: maxOldMb },
      workerData: this.#rules,
      recordTiming: false,
    })
    this.#workers.on('message', (id: number) => this.#begin(id))
    this.#workers.on('error', (error: unknown) => {
      this.#fault = error
    })
    this.ready = this.#load(options.loadMs ?? 30_000)
    this.ready.catch(() => {}) // Whoever awaits it is told; so is every page.
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get running(): number {
    return this.#running.size
  }

  async match(input: PageInput, { signal, client = '' }: MatchOptions = {}): Promise<Matched> {
    signal?.throwIfAborted()
    if (this.#closed) throw new ScanError('internal', { cause: new Error('the pool is closed') })
    const { threads, maxWaiting } = this.#limits
    if (this.running >= threads && this.waiting >= maxWaiting) throw new ScanError('busy')
    const id = ++this.#lastId
    const stop = new Stop()
    const abort = (): void => stop.now(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (this.#isReady) this.#mayWait(stop)
    try {
      const release = await this.#acquire({ id, client }, stop)
      try {
        return await this.#run({ id, input }, stop)
      } finally {
        release()
      }
    } finally {
      stop.never()
      signal?.removeEventListener('abort', abort)
      this.#serve()
    }
  }

  /** Waits for a free worker here rather than in Piscina's queue, which is neither fair nor bounded. @returns what frees it */
  #acquire({ id, client }: { readonly id: number; readonly client: string }, stop: Stop): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        const started = performance.now()
        this.#waiting.delete(stop)
        this.#running.set(id, stop)
        resolve(() => {
          this.#running.delete(id)
          this.#queue.finish(queued, performance.now() - started)
        })
      }
      const queued: QueuedMatch = { client, start }
      const leave = (): void => {
        this.#queue.remove(queued)
        this.#waiting.delete(stop)
        reject(stop.signal.reason)
      }
      stop.signal.addEventListener('abort', leave, { once: true })
      this.#waiting.add(stop)
      this.#queue.add(queued)
      this.#serve()
    })
  }

  #serve(): void {
    const canStart = (): boolean => this.#isReady && !this.#closed && this.running < this.#limits.threads
    while (canStart() && this.#queue.startNext()) {}
  }

  async #run({ id, input }: Task, stop: Stop): Promise<Matched> {
    const { html } = input
    const moved = html instanceof Uint8Array ? ownBytes(html) : html
    const transferList = moved instanceof Uint8Array ? [moved.buffer as ArrayBuffer] : []
    const task: Task = { id, input: { ...input, html: moved ?? null } }
    try {
      return (await this.#workers.run(task, { name: 'match', signal: stop.signal, transferList })) as Matched
    } catch (cause) {
      if (stop.signal.aborted) throw stop.signal.reason
      const isKilled = (cause as NodeJS.ErrnoException | null)?.code === OUT_OF_MEMORY
      throw new ScanError(isKilled ? 'worker_killed' : 'internal', { cause })
    }
  }

  /** Starts the clock of one that waits: for pages before it, not for the first loading of the rules. */
  #mayWait(stop: Stop): void {
    stop.after(this.#limits.maxWaitMs, () => new ScanError('busy', { cause: this.#fault }))
  }

  /** The clock of a page starts when its worker does: while that loads its rules, the page waits. */
  #begin(id: number): void {
    this.#fault = undefined
    const stop = this.#running.get(id)
    if (stop !== undefined) this.#limitMatch(stop)
  }

  /**
   * Kills a match after `matchMs`. While this process got less processor time than that, other processes kept the worker
   * from it: the match may go on then, up to `MAX_STRETCH` times as long.
   */
  #limitMatch(stop: Stop): void {
    const { matchMs } = this.#limits
    const begun = performance.now()
    const cpu = process.cpuUsage()
    const check = (): ScanError | undefined => {
      const { user, system } = process.cpuUsage(cpu)
      const left = Math.min(matchMs - (user + system) / 1000, begun + MAX_STRETCH * matchMs - performance.now())
      if (left <= 0) return new ScanError('worker_killed')
      stop.after(Math.max(left, MIN_CHECK_MS), check)
      return undefined
    }
    stop.after(matchMs, check)
  }

  async #load(loadMs: number): Promise<RulesetInfo> {
    const late = new SetupError(`the rules were not ready in ${loadMs} ms: look for an endless loop in a detector`)
    const timer = setTimeout(() => (this.#closed ??= this.#end((this.#fault = late))), loadMs)
    try {
      const all = Array.from({ length: this.#limits.workers }, () => this.#workers.run(null, { name: 'info' }))
      const [info] = (await Promise.all(all)) as RulesetInfo[]
      this.#isReady = true
      for (const stop of this.#waiting) this.#mayWait(stop)
      this.#serve()
      return info
    } catch (cause) {
      if (this.#fault === late) throw late
      // Between threads an error loses its class and its findings: what failed there fails here as itself.
      if (!this.#closed) {
        this.#closed = this.#end(cause)
        await loadRuleset(this.#rules)
      }
      throw new ScanError('internal', { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end(new Error('the pool was closed')))
  }

  async #end(cause: unknown): Promise<void> {
    const ended = this.#workers.destroy() // First, lest the workers of stopped pages are replaced.
    for (const stop of [...this.#waiting, ...this.#running.values()]) stop.now(new ScanError('internal', { cause }))
    await ended
  }
}
