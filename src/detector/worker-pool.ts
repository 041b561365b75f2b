import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { CancellableTimer } from '../async/cancellable-timer.ts'
import { createDeferred } from '../async/deferred.ts'
import { POOL_ARGS } from '../async/pool-args.ts'
import { type OpenedFile, openRulesetFile } from '../engine/lookup/ruleset-file.ts'
import type { PageInput } from '../engine/page/page.ts'
import { ScanError, SetupError } from '../errors.ts'
import type { Networks } from '../networks/network-table.ts'
import { openOwnNetworks } from '../networks/open-networks.ts'
import { findCompiled, readBuilt } from '../rules/built.ts'
import type { LoadOptions } from './load-ruleset.ts'
import { MatchQueue, type QueuedMatch } from './match-queue.ts'
import type { Matched, Task, WorkerRules } from './match-worker.ts'
import { describeRuleset, type RulesetInfo } from './ruleset-info.ts'
import { prepareTransfer } from './transferable-bytes.ts'

/** Options for matching pages. The options of `loadRuleset` select the rules. */
export interface PoolOptions extends LoadOptions {
  /** Pages matched concurrently; by default one less than the number of cores, but at least 1 and at most 4. */
  readonly threads?: number
  /**
   * Idle workers in addition to `threads` that have loaded the rules; 1 by default. A spare worker replaces a killed one
   * immediately. Without it, other pages would wait after each kill until the rules are loaded. Spare workers start shortly after the
   * others are ready, so that the first page does not wait for them: with the default `matchMs`, no page is killed before.
   */
  readonly spares?: number
  /**
   * Time limit in milliseconds for one page in a worker that has loaded its rules; 1000 by default. The limit is extended,
   * up to three times, while the whole process has got less processor time than that.
   */
  readonly matchMs?: number
  /** Maximum number of pages that wait for a worker; 128 by default. */
  readonly maxWaiting?: number
  /** Maximum wait of a page in milliseconds, from when the workers are ready; 2000 by default. */
  readonly maxWaitMs?: number
  /** Time limit in milliseconds for starting the workers; 30,000 by default. */
  readonly loadMs?: number
  /** Whether workers match a page of their own first, as they do by default. It costs more than it saves where one page is matched. */
  readonly isWarmedUp?: boolean
  /** Size limit of each worker's old generation in megabytes; 256 by default. Node's `--max-old-space-size` overrides it. */
  readonly maxOldMb?: number
  /** The compiled file of the rules, if the caller has found it; by default the pool looks for it. */
  readonly file?: OpenedFile | null
  /** Finds the network of a page that has an address; by default in the table that comes with Siteprint. */
  readonly networks?: Networks | null
  /** The compiled file of the worker; by default the one in the folder of this module. Tests, which run from source, set it. */
  readonly worker?: string
}

export interface MatchOptions {
  /** Aborts the match, which rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The client for which the page is matched, for example the ID of an API key. Workers are shared fairly between clients. */
  readonly client?: string
  /** Whether other pages of the site are selected from the links of the page. */
  readonly selectsPages?: boolean
}

/** Matches pages off the main thread. */
export interface MatchPool {
  /**
   * Builds the page and runs detection. Bytes of bodies are transferred to the worker; the caller can no longer use them.
   * @throws ScanError `worker_killed` for a page that takes too long or too much memory, `busy`, `internal`; the signal's
   *   reason when it aborts
   */
  match(input: PageInput, options?: MatchOptions): Promise<Matched>
  /**
   * Waits until the workers have loaded the rules, apart from the spare ones.
   * @throws the errors of `loadRuleset`
   */
  readonly ready: Promise<RulesetInfo>
  /** Describes the rules: before the workers are ready, if these share a compiled file; otherwise as `ready` does. */
  readonly described: Promise<RulesetInfo>
  /** Pages that wait for a worker. */
  readonly waiting: number
  /** Pages that have a worker. A worker that replaces a killed one may still be loading the rules. */
  readonly running: number
  /** Terminates all workers. Waiting and running pages fail with `internal`. */
  close(): Promise<void>
}

/** Starts the workers. An idle pool does not keep the process alive. */
export function openPool(options: PoolOptions = {}): MatchPool {
  return new WorkerPool(options)
}

/** Maximum factor by which the time limit is extended while the process is short of processor time. */
const MAX_TIME_FACTOR = 3
/** Minimum interval between two checks of the time limit. */
const MIN_CHECK_MS = 10
/** Time after which spare workers start: less than the usual time limit of a page, and more than the first scan takes. */
const SPARES_DELAY_MS = 500
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

class WorkerPool implements MatchPool {
  readonly ready: Promise<RulesetInfo>
  readonly described: Promise<RulesetInfo>
  readonly #rules: LoadOptions
  readonly #isWarmedUp: boolean
  readonly #limits: {
    readonly threads: number
    workers: number
    matchMs: number
    maxWaiting: number
    maxWaitMs: number
  }
  #workers: Piscina
  readonly #networks: Networks
  readonly #queue = new MatchQueue()
  readonly #waiting = new Set<CancellableTimer>()
  readonly #running = new Map<number, CancellableTimer>()
  #lastId = 0
  #isReady = false
  #closed: Promise<void> | undefined
  #sparesTimer: NodeJS.Timeout | undefined
  /** The error due to which a worker could not be replaced, for the log. */
  #replaceError: unknown

  constructor({ folders = [], detectors = [], release = null, cache = null, ...options }: PoolOptions) {
    const { threads = Math.min(4, Math.max(1, availableParallelism() - 1)), maxOldMb = 256 } = options
    this.#isWarmedUp = options.isWarmedUp ?? true
    const { spares = 1, matchMs = 1000, maxWaiting = 128, maxWaitMs = 2000 } = options
    const workers = threads + spares
    this.#networks = options.networks ?? openOwnNetworks()
    this.#limits = { threads, workers, matchMs, maxWaiting, maxWaitMs }
    this.#rules = { folders, detectors, release, cache }
    const worker = options.worker ?? fileURLToPath(new URL('match-worker.js', import.meta.url))
    const { file = null } = options
    const built = canShare(this.#rules) ? (file ?? readBuilt()) : null
    const find = (): OpenedFile | null => (built === null || built === file ? built : findCompiled(this.#rules, built))
    // Looking at the files of all rules takes as long as a worker needs to load its code. Workers start meanwhile, with the built file,
    // which is hardly ever that of other rules.
    const first = folders.length === 0 ? built : find()
    this.#workers = this.#startWorkers(worker, maxOldMb, first)
    const shared = first === built ? find() : first
    if (shared !== first) {
      void this.#workers.destroy()
      this.#workers = this.#startWorkers(worker, maxOldMb, shared)
    }
    const info = shared === null ? null : describeRuleset(shared)
    this.ready = this.#load(options.loadMs ?? 30_000, info)
    this.ready.catch(() => {}) // The caller may not await it; each page reports the error too.
    this.described = info === null ? this.ready : Promise.resolve(info)
  }

  /** @param shared the ruleset of the workers; null if each loads its own */
  #startWorkers(filename: string, maxOldMb: number, shared: OpenedFile | null): Piscina {
    const { threads, workers } = this.#limits
    const pool = new Piscina({
      execArgv: POOL_ARGS,
      filename,
      minThreads: threads,
      maxThreads: workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      resourceLimits: { maxOldGenerationSizeMb: maxOldMb },
      workerData: {
        options: this.#rules,
        shared: shared?.buffer ?? null,
        isWarmedUp: this.#isWarmedUp,
      } satisfies WorkerRules,
      recordTiming: false,
    })
    pool.on('message', (id: number) => this.#onMatchStart(id))
    pool.on('error', (error: unknown) => {
      if (pool === this.#workers) this.#replaceError = error
    })
    return pool
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get running(): number {
    return this.#running.size
  }

  async match(input: PageInput, { signal, client = '', selectsPages }: MatchOptions = {}): Promise<Matched> {
    signal?.throwIfAborted()
    if (this.#closed) throw new ScanError('internal', { cause: new Error('the pool is closed') })
    const { threads, maxWaiting } = this.#limits
    if (this.running >= threads && this.waiting >= maxWaiting) throw new ScanError('busy')
    const id = ++this.#lastId
    const timer = new CancellableTimer()
    const abort = (): void => timer.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (this.#isReady) this.#startWaitTimer(timer)
    try {
      const release = await this.#acquire({ id, client }, timer)
      try {
        return await this.#run({ id, input, ...(selectsPages && { selectsPages }) }, timer)
      } finally {
        release()
      }
    } finally {
      timer.stop()
      signal?.removeEventListener('abort', abort)
      this.#startNextMatches()
    }
  }

  /**
   * Waits for a free worker here rather than in Piscina's queue, which is neither fair nor limited.
   * @returns a function that releases the worker
   */
  #acquire(
    { id, client }: { readonly id: number; readonly client: string },
    timer: CancellableTimer,
  ): Promise<() => void> {
    const { promise, resolve, reject } = createDeferred<() => void>()
    const start = (): void => {
      const started = performance.now()
      this.#waiting.delete(timer)
      this.#running.set(id, timer)
      resolve(() => {
        this.#running.delete(id)
        this.#queue.finish(queued, performance.now() - started)
      })
    }
    const queued: QueuedMatch = { client, start }
    const leave = (): void => {
      this.#queue.remove(queued)
      this.#waiting.delete(timer)
      reject(timer.signal.reason)
    }
    timer.signal.addEventListener('abort', leave, { once: true })
    this.#waiting.add(timer)
    this.#queue.add(queued)
    this.#startNextMatches()
    return promise
  }

  #startNextMatches(): void {
    const canStart = (): boolean => this.#isReady && !this.#closed && this.running < this.#limits.threads
    while (canStart() && this.#queue.startNext()) {}
  }

  async #run({ input, ...order }: Task, timer: CancellableTimer): Promise<Matched> {
    const { page, transfer } = prepareTransfer(this.#addNetwork(input))
    const task: Task = { ...order, input: page }
    try {
      const options = { name: 'match', signal: timer.signal, transferList: transfer }
      return (await this.#workers.run(task, options)) as Matched
    } catch (cause) {
      if (this.#isReady) this.#startSpares()
      if (timer.signal.aborted) throw timer.signal.reason
      const isKilled = (cause as NodeJS.ErrnoException | null)?.code === OUT_OF_MEMORY
      throw new ScanError(isKilled ? 'worker_killed' : 'internal', { cause })
    }
  }

  #addNetwork(input: PageInput): PageInput {
    const { address, network } = input
    return typeof address === 'string' && network === undefined
      ? { ...input, network: this.#networks.find(address) }
      : input
  }

  /** Limits the time in the queue. The initial loading of the rules does not count. */
  #startWaitTimer(timer: CancellableTimer): void {
    timer.start(this.#limits.maxWaitMs, () => new ScanError('busy', { cause: this.#replaceError }))
  }

  /** Starts the time limit of a page when its worker starts to match: the worker may have had to load the rules first. */
  #onMatchStart(id: number): void {
    this.#replaceError = undefined
    const timer = this.#running.get(id)
    if (timer !== undefined) this.#startMatchTimer(timer)
  }

  /**
   * Kills a match after `matchMs`. If this process has got less processor time than that, other processes slowed the worker
   * down: then the match may continue, for up to `MAX_TIME_FACTOR` times `matchMs`.
   */
  #startMatchTimer(timer: CancellableTimer): void {
    const { matchMs } = this.#limits
    const startedAt = performance.now()
    const cpu = process.cpuUsage()
    const check = (): ScanError | undefined => {
      const { user, system } = process.cpuUsage(cpu)
      const left = Math.min(matchMs - (user + system) / 1000, startedAt + MAX_TIME_FACTOR * matchMs - performance.now())
      if (left <= 0) return new ScanError('worker_killed')
      timer.start(Math.max(left, MIN_CHECK_MS), check)
      return undefined
    }
    timer.start(matchMs, check)
  }

  /** @param known what describes the rules, if the workers share a file; null if each loads its own */
  async #load(loadMs: number, known: RulesetInfo | null): Promise<RulesetInfo> {
    const late = new SetupError(
      `the rules were not loaded within ${loadMs} ms: check the detectors for an endless loop`,
    )
    const timer = setTimeout(() => (this.#closed ??= this.#end((this.#replaceError = late))), loadMs)
    try {
      await Promise.all(
        Array.from({ length: this.#limits.threads }, () => this.#workers.run(null, { name: 'version' })),
      )
      const info = known ?? describeRuleset(await this.#readFile())
      this.#isReady = true
      this.#sparesTimer = setTimeout(() => this.#startSpares(), SPARES_DELAY_MS).unref()
      for (const timer of this.#waiting) this.#startWaitTimer(timer)
      this.#startNextMatches()
      return info
    } catch (cause) {
      if (this.#replaceError === late) throw late
      // An error from a thread loses its class and its findings. Loading the rules here reproduces the original error.
      if (!this.#closed) {
        this.#closed = this.#end(cause)
        const { loadRuleset } = await import('./load-ruleset.ts') // Workers match: the engine takes a tenth of a start.
        await loadRuleset(this.#rules)
      }
      throw new ScanError('internal', { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Reads the ruleset that a worker has loaded. */
  async #readFile(): Promise<OpenedFile> {
    return openRulesetFile((await this.#workers.run(null, { name: 'file' })) as ArrayBufferLike, true)
  }

  /** Starts the workers that are missing: a task for each worker, at the same time, needs all of them. */
  #startSpares(): void {
    const { threads, workers } = this.#limits
    if (this.#closed || workers === threads) return
    for (let i = 0; i < workers; i++) this.#workers.run(null, { name: 'version' }).catch(() => {})
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#end(new Error('the pool was closed')))
  }

  async #end(cause: unknown): Promise<void> {
    clearTimeout(this.#sparesTimer)
    const ended = this.#workers.destroy() // First, so that the workers of aborted pages are not replaced.
    for (const timer of [...this.#waiting, ...this.#running.values()]) timer.abort(new ScanError('internal', { cause }))
    await ended
  }
}

/**
 * Whether workers can share a compiled ruleset. Detectors of the operator run in workers only, and a released ruleset is checked where it
 * is compiled: then each worker loads its own.
 */
function canShare({ detectors = [], release }: LoadOptions): boolean {
  return detectors.length === 0 && !release
}
