import { preparePageInput } from '../engine/page/page-input.ts'
import { PageLimitError, ScanError } from '../errors.ts'
import type { LoadOptions, PageInput, Verdict } from '../index.ts'
import { openPool, type PoolOptions } from './worker-pool.ts'

/** How pages are matched in workers; the rules are those of `loadRuleset`. */
export interface DetectorOptions extends LoadOptions {
  /** Milliseconds that a page may take; 1000 by default. */
  readonly timeoutMs?: number
  /** Pages matched at once; by default one core is left to the calling thread, and 4 are the most. */
  readonly threads?: number
}

/** Matches pages in workers. */
export interface PageDetector {
  /**
   * Says what a page is made with, as `detect` does. Pages wait for a free worker in the order of their calls.
   * @throws TypeError as `buildPage` does; PageLimitError when the page took too long or too much memory
   */
  detect(input: PageInput): Promise<Verdict>
  /** Ends the workers. Pages that wait or run fail. */
  close(): Promise<void>
}

/** The most that a timer takes. */
const NO_LIMIT_MS = 2 ** 31 - 1
/** Of each worker; a page of 350,000 links fits. */
const MAX_OLD_MB = 512

/**
 * Opens workers that are ready for pages.
 * @throws what `loadRuleset` throws
 */
export async function openPageDetector({
  timeoutMs = 1000,
  ...options
}: DetectorOptions & Pick<PoolOptions, 'worker'> = {}): Promise<PageDetector> {
  const waiting = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: NO_LIMIT_MS }
  const pool = openPool({ ...options, ...waiting, matchMs: timeoutMs, loadMs: NO_LIMIT_MS, maxOldMb: MAX_OLD_MB })
  await pool.ready
  return {
    async detect(input) {
      const prepared = preparePageInput(input)
      // A copy: the pool moves bytes to the worker, and these are the caller's.
      const html = prepared.html instanceof Uint8Array ? prepared.html.slice() : prepared.html
      try {
        return (await pool.match({ ...prepared, html: html ?? null })).verdict
      } catch (error) {
        if (!(error instanceof ScanError)) throw error
        if (error.reason === 'worker_killed') throw new PageLimitError(timeoutMs, { cause: error.cause })
        throw error.cause instanceof Error ? error.cause : error
      }
    },
    close: () => pool.close(),
  }
}
