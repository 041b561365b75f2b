import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type ScanCause, ScanError } from '../errors.ts'
import { formatAllowed } from '../fetch/address.ts'
import type { Site } from '../fetch/fetch.ts'
import type { GateOptions } from '../fetch/host-limiter.ts'
import type { Policy } from '../fetch/policy.ts'
import type { EvidenceKind } from '../fetch/side-evidence.ts'

/** What the thread is started with: plain data. */
export interface FetchSettings {
  readonly policy: Omit<Policy, 'allow'>
  readonly allow: readonly string[]
  readonly evidence: readonly EvidenceKind[]
  readonly gate: GateOptions | null
}

export type FetchRequest =
  | { readonly type: 'fetch'; readonly id: number; readonly text: string; readonly wantedDns: readonly string[] }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping' }

export type FetchReply =
  | { readonly type: 'site'; readonly id: number; readonly site: Site }
  | { readonly type: 'error'; readonly id: number; readonly reason: ScanCause; readonly why: string }
  | { readonly type: 'pong' }

interface FetchThreadOptions {
  readonly policy: Policy
  readonly evidence: readonly EvidenceKind[]
  readonly gate: GateOptions | null
  /** The compiled file of the thread; by default the one beside this module. Tests bring another. */
  readonly file?: string | undefined
  /** How much later than its deadline a scan is given up from outside, and how long the thread may then be silent. */
  readonly graceMs?: number | undefined
}

interface FetchCall {
  readonly wantedDns: readonly string[]
  readonly signal?: AbortSignal | undefined
}

interface Pending {
  readonly resolve: (site: Site) => void
  readonly reject: (reason: unknown) => void
}

/**
 * Fetches sites on a thread of its own. OpenSSL works on the thread of its socket: the certificate chain of a hostile server
 * keeps it busy for up to half a second, during which the API would answer nobody.
 */
export class FetchThread {
  readonly #settings: FetchSettings
  readonly #file: string
  readonly #giveUpMs: number
  readonly #graceMs: number
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #lastId = 0
  #silence: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ policy: { allow, ...policy }, evidence, gate, file, graceMs = 2000 }: FetchThreadOptions) {
    this.#settings = { policy, allow: allow.map(formatAllowed), evidence, gate }
    this.#file = file ?? fileURLToPath(new URL('fetch-worker.js', import.meta.url))
    this.#giveUpMs = policy.deadlineMs + graceMs
    this.#graceMs = graceMs
    this.#worker = this.#start()
  }

  /**
   * Fetches one site, as `fetchSite` does.
   * @throws ScanError; the signal's reason when that aborts
   */
  async fetch(text: string, { wantedDns, signal }: FetchCall): Promise<Site> {
    signal?.throwIfAborted()
    if (this.#isClosed) throw new ScanError('internal', { cause: 'the fetch thread is closed' })
    this.#worker ??= this.#start()
    const worker = this.#worker
    const id = ++this.#lastId
    const giveUp = (reason: unknown): void => {
      worker.postMessage({ type: 'abort', id } satisfies FetchRequest)
      this.#pending.get(id)?.reject(reason)
    }
    const onAbort = (): void => giveUp(signal?.reason)
    // The deadline of the scan fires in the thread. This one fires where the thread is too busy for that.
    const timer = setTimeout(() => {
      giveUp(new ScanError('deadline', { cause: 'the fetch thread did not answer' }))
      this.#probe(worker)
    }, this.#giveUpMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    worker.ref()
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject })
        worker.postMessage({ type: 'fetch', id, text, wantedDns } satisfies FetchRequest)
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      this.#pending.delete(id)
      if (this.#pending.size === 0) worker.unref()
    }
  }

  /** Ends the thread; scans under way fail with `internal`. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#silence)
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { workerData: this.#settings })
    worker.unref()
    worker.on('message', (message: FetchReply) => this.#onMessage(message))
    worker.on('error', (cause) => this.#onEnd(worker, cause))
    worker.on('exit', () => this.#onEnd(worker, 'the fetch thread ended'))
    return worker
  }

  #onMessage(message: FetchReply): void {
    clearTimeout(this.#silence)
    this.#silence = undefined
    if (message.type === 'pong') return
    const pending = this.#pending.get(message.id)
    if (message.type === 'site') pending?.resolve(message.site)
    else pending?.reject(new ScanError(message.reason, { cause: message.why }))
  }

  /** A thread that says nothing for a while is replaced. */
  #probe(worker: Worker): void {
    if (worker !== this.#worker || this.#silence !== undefined) return
    worker.postMessage({ type: 'ping' } satisfies FetchRequest)
    this.#silence = setTimeout(() => worker.terminate(), this.#graceMs)
    this.#silence.unref()
  }

  #onEnd(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    clearTimeout(this.#silence)
    this.#silence = undefined
    for (const { reject } of this.#pending.values()) reject(new ScanError('internal', { cause }))
  }
}
