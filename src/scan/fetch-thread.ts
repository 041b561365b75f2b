import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Deadline } from '../async/deadline.ts'
import { createDeferred, type Deferred } from '../async/deferred.ts'
import { raceSignal } from '../async/race-signal.ts'
import { type ScanCause, ScanError } from '../errors.ts'
import { formatAllowed } from '../fetch/address.ts'
import type { EvidenceKind } from '../fetch/evidence-kinds.ts'
import type { Site } from '../fetch/fetch.ts'
import type { HostLimits } from '../fetch/host-limiter.ts'
import type { Policy } from '../fetch/policy.ts'
import type { FurtherPage } from '../fetch/robots-gate.ts'

/** The settings with which the thread is started: plain data. */
export interface FetchSettings {
  readonly policy: Omit<Policy, 'allow'>
  readonly allow: readonly string[]
  readonly evidence: readonly EvidenceKind[]
  readonly hostLimits: HostLimits | null
}

export type FetchRequest =
  | {
      readonly type: 'fetch'
      readonly id: number
      readonly url: string
      readonly wantedDns: readonly string[]
      readonly further?: FurtherPage | undefined
    }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping' }

export type FetchReply =
  | { readonly type: 'site'; readonly id: number; readonly site: Site }
  | { readonly type: 'error'; readonly id: number; readonly reason: ScanCause; readonly why: string }
  | { readonly type: 'pong' }

interface FetchThreadOptions {
  readonly policy: Policy
  readonly evidence: readonly EvidenceKind[]
  readonly hostLimits: HostLimits | null
  /** The compiled file of the thread; by default the one in the folder of this module. Tests supply their own. */
  readonly file?: string | undefined
  /** Milliseconds after its deadline at which a scan fails without a reply of the thread, and then for a reply to a ping. */
  readonly graceMs?: number | undefined
}

interface FetchCall {
  readonly wantedDns: readonly string[]
  readonly signal?: AbortSignal | undefined
  readonly further?: FurtherPage | undefined
}

/**
 * Fetches sites on a separate thread. OpenSSL runs on the thread of its socket: the certificate chain of a hostile server
 * blocks that thread's event loop for up to half a second, during which the API could not respond to any client.
 *
 * The thread starts with the first fetch: loading it takes a sixth of the processor time of a start of the service.
 */
export class FetchThread {
  readonly #settings: FetchSettings
  readonly #file: string
  readonly #giveUpMs: number
  readonly #graceMs: number
  readonly #pending = new Map<number, Deferred<Site>>()
  #worker: Worker | undefined
  #lastId = 0
  #pingTimer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ policy: { allow, ...policy }, evidence, hostLimits, file, graceMs = 2000 }: FetchThreadOptions) {
    this.#settings = { policy, allow: allow.map(formatAllowed), evidence, hostLimits }
    this.#file = file ?? fileURLToPath(new URL('fetch-worker.js', import.meta.url))
    this.#giveUpMs = policy.deadlineMs + graceMs
    this.#graceMs = graceMs
  }

  /**
   * Fetches one site, like `fetchSite`.
   * @param url a parsed URL as text, because only plain data can be sent to the thread
   * @throws ScanError; the signal's reason when it aborts
   */
  async fetch(url: string, { wantedDns, signal, further }: FetchCall): Promise<Site> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new ScanError('internal', { cause: 'the fetch thread is closed' })
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#lastId
    const pending = createDeferred<Site>()
    this.#pending.set(id, pending)
    // The thread enforces the scan's own deadline. This one applies when the thread's event loop is blocked.
    const createReason = (): ScanError => new ScanError('deadline', { cause: 'the fetch thread did not respond' })
    const deadline = new Deadline({ ms: this.#giveUpMs, createReason, parent: signal })
    worker.ref()
    worker.postMessage({ type: 'fetch', id, url, wantedDns, further } satisfies FetchRequest)
    try {
      return await raceSignal(pending.promise, deadline.signal)
    } catch (error) {
      if (deadline.signal.aborted) worker.postMessage({ type: 'abort', id } satisfies FetchRequest)
      if (deadline.signal.aborted && !signal?.aborted) this.#ping(worker)
      throw error
    } finally {
      deadline.clear()
      this.#pending.delete(id)
      if (this.#pending.size === 0) worker.unref()
    }
  }

  /** Terminates the thread. Running scans fail with `internal`. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#pingTimer)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#settings })
    worker.unref()
    worker.on('message', (message: FetchReply) => this.#onMessage(message))
    worker.on('error', (cause) => this.#onEnd(worker, cause))
    worker.on('exit', () => this.#onEnd(worker, 'the fetch thread exited'))
    return worker
  }

  #onMessage(message: FetchReply): void {
    clearTimeout(this.#pingTimer)
    this.#pingTimer = undefined
    if (message.type === 'pong') return
    const pending = this.#pending.get(message.id)
    if (message.type === 'site') pending?.resolve(message.site)
    else pending?.reject(new ScanError(message.reason, { cause: message.why }))
  }

  /** Terminates the thread if it sends nothing within the grace period. The next scan starts a new one. */
  #ping(worker: Worker): void {
    if (worker !== this.#worker || this.#pingTimer !== undefined) return
    worker.postMessage({ type: 'ping' } satisfies FetchRequest)
    this.#pingTimer = setTimeout(() => worker.terminate(), this.#graceMs)
    this.#pingTimer.unref()
  }

  #onEnd(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    clearTimeout(this.#pingTimer)
    this.#pingTimer = undefined
    for (const { reject } of this.#pending.values()) reject(new ScanError('internal', { cause }))
  }
}
