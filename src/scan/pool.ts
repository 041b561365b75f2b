import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { ScanError, SetupError } from '../errors.ts'
import { type LoadOptions, loadRuleset, type PageInput } from '../index.ts'
import type { Matched, RulesetInfo, Task } from './match-worker.ts'
import { ownBytes } from './own-bytes.ts'
import { Stop } from './stop.ts'

/** How pages are matched; the rules are those of `loadRuleset`. */
export interface PoolOptions extends LoadOptions {
  /** Workers; by default one core is left to the main thread, and 4 are the most. */
  readonly threads?: number
  /** Milliseconds that a page may take in a worker that has its rules; 1000 by default. */
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

/** Matches pages off the main thread. */
export interface MatchPool {
  /**
   * Builds the page and detects. Bytes of `html` are moved to the worker: whoever gave them has them no more.
   * @throws ScanError `worker_killed` for a page that took too long or too much memory, `busy`, `internal`; the signal's
   *   reason when that aborts
   */
  match(input: PageInput, options?: { readonly signal?: AbortSignal }): Promise<Matched>
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

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

class WorkerPool implements MatchPool {
  readonly ready: Promise<RulesetInfo>
  readonly #rules: LoadOptions
  readonly #limits: { readonly threads: number; matchMs: number; maxWaiting: number; maxWaitMs: number }
  readonly #workers: Piscina
  /** In the order of their coming, each with what tells it that a worker is free. */
  readonly #waiting = new Map<Stop, () => void>()
  readonly #running = new Map<number, Stop>()
  #lastId = 0
  #isReady = false
  #closed: Promise<void> | undefined
  /** Why a worker could not be replaced, for the log. */
  #fault: unknown

  constructor({ folders = [], detectors = [], ...options }: PoolOptions) {
    const { threads = Math.min(4, Math.max(1, availableParallelism() - 1)), maxOldMb = 256 } = options
    const { matchMs = 1000, maxWaiting = 128, maxWaitMs = 2000 } = options
    this.#limits = { threads, matchMs, maxWaiting, maxWaitMs }
    this.#rules = { folders, detectors }
    this.#workers = new Piscina({
      filename: options.worker ?? fileURLToPath(new URL('match-worker.js', import.meta.url)),
      minThreads: threads,
      maxThreads: threads,
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

  async match(input: PageInput, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Matched> {
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
      await this.#turn(id, stop)
      return await this.#run({ id, input }, stop)
    } finally {
      stop.never()
      signal?.removeEventListener('abort', abort)
      this.#waiting.delete(stop)
      this.#running.delete(id)
      this.#serve()
    }
  }

  /** Waits for a free worker: what is posted to none would wait in no order, and uncounted. */
  #turn(id: number, stop: Stop): Promise<void> {
    return new Promise((resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true })
      this.#waiting.set(stop, () => {
        this.#running.set(id, stop)
        resolve()
      })
      this.#serve()
    })
  }

  #serve(): void {
    for (const [stop, go] of this.#waiting) {
      if (!this.#isReady || this.#closed || this.running >= this.#limits.threads) return
      this.#waiting.delete(stop)
      go()
    }
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
    this.#running.get(id)?.after(this.#limits.matchMs, () => new ScanError('worker_killed'))
  }

  async #load(loadMs: number): Promise<RulesetInfo> {
    const late = new SetupError(`the rules were not ready in ${loadMs} ms: look for an endless loop in a detector`)
    const timer = setTimeout(() => (this.#closed ??= this.#end((this.#fault = late))), loadMs)
    try {
      const all = Array.from({ length: this.#limits.threads }, () => this.#workers.run(null, { name: 'info' }))
      const [info] = (await Promise.all(all)) as RulesetInfo[]
      this.#isReady = true
      for (const stop of this.#waiting.keys()) this.#mayWait(stop)
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
    for (const stop of [...this.#waiting.keys(), ...this.#running.values()])
      stop.now(new ScanError('internal', { cause }))
    await ended
  }
}
