import { performance } from 'node:perf_hooks'

/** A worker scans at least so many URLs at a time, or its limit if that is lower. */
const MIN_SCANS = 4
/** Share of the time in which the event loop may be blocked, and number of pages that may wait to be matched, without being crowded. */
const MAX_UTILIZATION = 0.9
const MAX_WAITING_PAGES = 1
/** Milliseconds between two decisions. */
const DECIDE_MS = 200

/** How busy a worker is. */
export interface WorkerLoad {
  /** Share of the time in which the event loop was not idle: 0 to 1. */
  readonly utilization: number
  /** Pages that wait for a thread that matches them. */
  readonly waitingPages: number
}

/**
 * Decides how many URLs a worker scans at a time. Where its processors are the limit, more scans at a time only take longer each, and
 * URLs that are taken next wait for all of them: a short batch would wait long behind a large one.
 * @param current scans at a time until now
 * @param max the limit
 */
export function adaptConcurrency(current: number, { utilization, waitingPages }: WorkerLoad, max: number): number {
  const isCrowded = utilization > MAX_UTILIZATION || waitingPages > MAX_WAITING_PAGES
  const wanted = isCrowded ? Math.floor(current * 0.75) : Math.ceil(current * 1.25)
  return Math.min(max, Math.max(MIN_SCANS, wanted))
}

/** Adapts the concurrency of a worker while it runs. @returns a function that ends this */
export function keepAdapting(worker: { concurrency: number }, countWaitingPages: () => number): () => void {
  const max = worker.concurrency
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    const load = { utilization, waitingPages: countWaitingPages() }
    worker.concurrency = adaptConcurrency(worker.concurrency, load, max)
  }, DECIDE_MS)
  timer.unref()
  return () => clearInterval(timer)
}
