import type { Batch, BatchUrl } from '../store/batch-types.ts'
import type { BatchRunner } from './batch-service.ts'
import { completeBatch } from './end-batch.ts'
import { BatchMaintenance, type MaintenanceParts } from './maintain-batches.ts'
import { readHost } from './parse-list.ts'
import { ItemProcessor, type ProcessorParts } from './process-item.ts'

/** URLs of a batch that are read ahead. */
const BUFFERED_URLS = 500
/** Wait after a failure of the store, in milliseconds. */
const STORE_RETRY_MS = 1000
/** Limits of the time until the next look at URLs whose hosts are busy, in milliseconds. */
const MIN_LOOK_MS = 10
const MAX_LOOK_MS = 1000

type RunnerParts = ProcessorParts &
  MaintenanceParts & {
    /** URLs that are scanned at a time. */
    readonly concurrency: number
  }

interface WaitingUrl extends BatchUrl {
  readonly host: string
  /** Not before this time, in milliseconds since 1970. */
  notBefore: number
}

/** A batch with URLs that are to be scanned. */
interface BatchLane {
  batch: Batch
  readonly buffer: WaitingUrl[]
  /** Positions of the URLs that are being scanned. */
  readonly running: Set<number>
  /** Where the rest of the URLs begins; null if all of them were read. */
  next: Pick<BatchUrl, 'turn' | 'position'> | null
  isReading: boolean
}

/**
 * Runs batches in this process. The store knows which URLs have no outcome, so a restart goes on where the former process was. Keys
 * take turns, and so do the batches of a key.
 */
export class EmbeddedRunner implements BatchRunner {
  readonly unavailable = null
  readonly #parts: RunnerParts
  readonly #processor: ItemProcessor
  readonly #maintenance: BatchMaintenance
  /** Batches by counter. The first counter, and the first batch of each, is next. */
  readonly #lanes = new Map<string, Map<string, BatchLane>>()
  /** Hosts that are busy, and until when. */
  readonly #busyHosts = new Map<string, number>()
  #running = 0
  #timer: NodeJS.Timeout | undefined
  #isClosed = false
  #whenIdle: (() => void) | undefined

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#processor = new ItemProcessor(parts)
    this.#maintenance = new BatchMaintenance(parts, { onResumed: (id) => this.#resume(id) })
  }

  /** Continues the batches of a former process. */
  async open(): Promise<void> {
    this.#maintenance.start()
    await this.#readOpen()
  }

  async #readOpen(): Promise<void> {
    try {
      for (const batch of await this.#parts.store.batches.listOpenBatches()) this.#add(batch)
      this.#pump()
    } catch (error) {
      this.#logFailure(error)
      this.#lookAgain(STORE_RETRY_MS, () => void this.#readOpen())
    }
  }

  wake(id: string): void {
    this.#resume(id)
    this.#maintenance.runSoon()
  }

  #resume(id: string): void {
    this.#processor.forget(id)
    void this.#wake(id)
  }

  async #wake(id: string): Promise<void> {
    try {
      const batch = await this.#parts.store.batches.getBatch(id)
      if (batch === null) return
      this.#add(batch)
      this.#pump()
    } catch (error) {
      this.#logFailure(error)
      this.#lookAgain(STORE_RETRY_MS, () => void this.#wake(id))
    }
  }

  /** Ends when no URL is being scanned. What has no outcome is scanned after the next start. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#maintenance.close()
    if (this.#running === 0) return
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve
    })
  }

  #add(batch: Batch): void {
    const { counter, id, status } = batch
    const lanes = this.#lanes.get(counter) ?? new Map<string, BatchLane>()
    const known = lanes.get(id)
    if (status !== 'waiting' && status !== 'running') {
      if (known !== undefined) this.#drop(known)
      return
    }
    this.#lanes.set(counter, lanes)
    const start = { turn: 0, position: 0 }
    if (known === undefined) lanes.set(id, { batch, buffer: [], running: new Set(), next: start, isReading: false })
    // URLs that were to be retried may be anywhere.
    else Object.assign(known, { batch, next: start })
  }

  #drop({ batch: { counter, id } }: BatchLane): void {
    const lanes = this.#lanes.get(counter)
    lanes?.delete(id)
    if (lanes?.size === 0) this.#lanes.delete(counter)
  }

  /** Starts as many scans as possible. */
  #pump(): void {
    while (!this.#isClosed && this.#running < this.#parts.concurrency) {
      const found = this.#findNext()
      if (found === null) break
      void this.#run(found.lane, found.url)
    }
    if (this.#running < this.#parts.concurrency) this.#lookLater()
  }

  /** Finds the next URL, and moves its counter and batch behind the others. */
  #findNext(): { lane: BatchLane; url: WaitingUrl } | null {
    const now = this.#parts.clock()
    for (const [counter, lanes] of this.#lanes)
      for (const [id, lane] of lanes) {
        if (lane.buffer.length < BUFFERED_URLS / 2) void this.#read(lane)
        const at = lane.buffer.findIndex(
          ({ host, notBefore }) => notBefore <= now && (this.#busyHosts.get(host) ?? 0) <= now,
        )
        if (at < 0) continue
        const [url] = lane.buffer.splice(at, 1)
        lanes.delete(id)
        lanes.set(id, lane)
        this.#lanes.delete(counter)
        this.#lanes.set(counter, lanes)
        return { lane, url }
      }
    return null
  }

  /** Reads more URLs of a batch, and ends the batch if there are none. */
  async #read(lane: BatchLane): Promise<void> {
    if (lane.isReading || this.#isClosed) return
    if (lane.next === null && (lane.buffer.length > 0 || lane.running.size > 0)) return
    lane.isReading = true
    try {
      if (lane.next === null) await this.#complete(lane)
      else await this.#readAhead(lane, lane.next)
    } catch (error) {
      this.#logFailure(error)
      lane.next ??= { turn: 0, position: 0 }
      lane.isReading = false
      this.#lookAgain(STORE_RETRY_MS, () => this.#pump())
      return
    }
    lane.isReading = false
    this.#pump()
  }

  async #readAhead(lane: BatchLane, from: Pick<BatchUrl, 'turn' | 'position'>): Promise<void> {
    const { batches } = this.#parts.store
    const { id, startedAt, status } = lane.batch
    if (status === 'waiting') {
      await batches.changeBatch(id, ['waiting'], {
        status: 'running',
        startedAt: startedAt ?? new Date(this.#parts.clock()),
      })
      lane.batch = (await batches.getBatch(id)) ?? lane.batch
    }
    const urls = await batches.listWaiting(id, from, BUFFERED_URLS)
    const known = new Set([...lane.running, ...lane.buffer.map(({ position }) => position)])
    // A batch that was woken meanwhile is read from its beginning again.
    if (lane.next === from) {
      const last = urls.at(-1)
      lane.next =
        urls.length < BUFFERED_URLS || last === undefined ? null : { turn: last.turn, position: last.position + 1 }
    }
    for (const url of urls)
      if (!known.has(url.position)) lane.buffer.push({ ...url, host: readHost(url.url), notBefore: 0 })
  }

  async #complete(lane: BatchLane): Promise<void> {
    const batch = (await this.#parts.store.batches.getBatch(lane.batch.id)) ?? lane.batch
    const isOver = await completeBatch(this.#parts.store, batch, this.#parts.clock())
    if (isOver) {
      this.#drop(lane)
      this.#maintenance.runSoon()
    } else lane.next = { turn: 0, position: 0 }
  }

  async #run(lane: BatchLane, url: WaitingUrl): Promise<void> {
    this.#running++
    lane.running.add(url.position)
    try {
      const processed = await this.#processor.process({ ...url, batch: lane.batch.id })
      if (processed === 'closed') this.#drop(lane)
      else if (processed !== 'done') this.#putBack(lane, url, processed)
    } catch (error) {
      this.#logFailure(error)
      this.#putBack(lane, url, { retryMs: STORE_RETRY_MS, isBusy: false })
    } finally {
      this.#running--
      lane.running.delete(url.position)
      if (this.#isClosed && this.#running === 0) this.#whenIdle?.()
    }
    this.#pump()
  }

  #putBack(
    lane: BatchLane,
    url: WaitingUrl,
    { retryMs, isBusy }: { readonly retryMs: number; readonly isBusy: boolean },
  ): void {
    const until = this.#parts.clock() + retryMs
    if (isBusy) this.#busyHosts.set(url.host, until)
    else url.notBefore = until
    lane.buffer.unshift(url)
  }

  /** Looks again when the first busy host is free. */
  #lookLater(): void {
    if (this.#isClosed) return
    const now = this.#parts.clock()
    for (const [host, until] of this.#busyHosts) if (until <= now) this.#busyHosts.delete(host)
    let next = Number.POSITIVE_INFINITY
    for (const lanes of this.#lanes.values())
      for (const { buffer } of lanes.values())
        for (const { host, notBefore } of buffer)
          next = Math.min(next, Math.max(notBefore, this.#busyHosts.get(host) ?? 0))
    if (next === Number.POSITIVE_INFINITY) return
    this.#lookAgain(Math.min(MAX_LOOK_MS, Math.max(MIN_LOOK_MS, next - now)), () => this.#pump())
  }

  #lookAgain(ms: number, look: () => void): void {
    if (this.#isClosed) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(look, ms).unref()
  }

  #logFailure(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error)
    this.#parts.log.warn({ why }, 'a batch could not go on: it is tried again')
  }
}
