import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Deadline } from '../async/deadline.ts'
import { createDeferred, type Deferred } from '../async/deferred.ts'
import { raceSignal } from '../async/race-signal.ts'
import { formatAllowed } from '../fetch/address.ts'
import type { Policy } from '../fetch/policy.ts'
import type { BrowserSettings } from './browser-source.ts'
import { RENDER_LIMITS, RenderError, type Rendered, type RenderFailure } from './render-types.ts'

/** The settings with which the thread is started: plain data. */
export interface RenderSettings extends BrowserSettings {
  readonly policy: Omit<Policy, 'allow'>
  readonly allow: readonly string[]
  /** Pages that are rendered at a time. */
  readonly concurrency: number
}

export type RenderRequest =
  | { readonly type: 'render'; readonly id: number; readonly url: string; readonly globals: readonly string[] }
  | { readonly type: 'start'; readonly id: number }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'close' }

export type RenderReply =
  | { readonly type: 'done'; readonly id: number; readonly rendered: Rendered | null }
  | { readonly type: 'error'; readonly id: number; readonly failure: RenderFailure; readonly why: string }

interface RenderThreadOptions extends BrowserSettings {
  readonly policy: Policy
  readonly concurrency: number
  /** The compiled file of the thread; by default the one in the folder of this module. Tests supply their own. */
  readonly file?: string
}

/** Time for a reply after the thread's own limits have passed, and for the browser to close. */
const GRACE_MS = 10_000
/** Time in which a browser starts on a busy machine. */
const START_MS = 60_000

/**
 * Renders pages on a separate thread, which has the browser and the proxies: the bytes of pages and the messages of the browser do not
 * occupy the event loop of the service. The thread starts with the first call, and again after it has ended.
 */
export class RenderThread {
  readonly #settings: RenderSettings
  readonly #file: string
  readonly #pending = new Map<number, Deferred<Rendered | null>>()
  #worker: Worker | undefined
  #lastId = 0
  #isClosed = false

  constructor({ policy: { allow, ...policy }, source, sandbox, concurrency, file }: RenderThreadOptions) {
    this.#settings = { policy, allow: allow.map(formatAllowed), source, sandbox, concurrency }
    this.#file = file ?? fileURLToPath(new URL('render-worker.js', import.meta.url))
  }

  /** Starts the browser. @throws RenderError that says what to do if it does not start */
  async start(): Promise<void> {
    await this.#call((id) => ({ type: 'start', id }), START_MS)
  }

  /**
   * Renders a page, like `Renderer.render`.
   * @throws RenderError; the signal's reason when it aborts
   */
  async render(url: string, globals: readonly string[], signal?: AbortSignal): Promise<Rendered> {
    const { waitMs, totalMs } = RENDER_LIMITS
    const rendered = await this.#call((id) => ({ type: 'render', id, url, globals }), waitMs + totalMs, signal)
    if (rendered === null) throw new RenderError('crashed', 'the thread of the browser sent no page')
    return rendered
  }

  /** Closes the browser, then the thread. Pages that are being rendered fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    if (worker === undefined) return
    const ended = createDeferred<void>()
    worker.once('exit', () => ended.resolve())
    worker.postMessage({ type: 'close' } satisfies RenderRequest)
    const deadline = new Deadline({ ms: GRACE_MS, createReason: () => new Error('the thread of the browser hangs') })
    await raceSignal(ended.promise, deadline.signal).catch(() => worker.terminate())
    deadline.clear()
  }

  /** Sends a request and waits for its reply. The thread enforces its own limits; `ms` applies when it is blocked. */
  async #call(build: (id: number) => RenderRequest, ms: number, signal?: AbortSignal): Promise<Rendered | null> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new RenderError('no_browser', 'the browser is closed')
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#lastId
    const pending = createDeferred<Rendered | null>()
    this.#pending.set(id, pending)
    const createReason = (): RenderError => new RenderError('timeout', 'the thread of the browser did not respond')
    const deadline = new Deadline({ ms: ms + GRACE_MS, createReason, parent: signal })
    worker.postMessage(build(id))
    try {
      return await raceSignal(pending.promise, deadline.signal)
    } catch (error) {
      if (signal?.aborted) worker.postMessage({ type: 'abort', id } satisfies RenderRequest)
      else if (deadline.signal.aborted) void worker.terminate()
      throw error
    } finally {
      deadline.clear()
      this.#pending.delete(id)
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#settings })
    worker.unref()
    worker.on('message', (reply: RenderReply) => {
      const pending = this.#pending.get(reply.id)
      if (reply.type === 'done') pending?.resolve(reply.rendered)
      else pending?.reject(new RenderError(reply.failure, reply.why))
    })
    worker.on('error', (cause) => this.#onEnd(worker, cause))
    worker.on('exit', () => this.#onEnd(worker))
    return worker
  }

  #onEnd(worker: Worker, cause?: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    for (const { reject } of this.#pending.values())
      reject(new RenderError('crashed', 'the thread of the browser ended', { cause }))
  }
}
