import type { PageInput } from '../engine/page/page.ts'
import { preparePageInput } from '../engine/page/page-input.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import { PageLimitError, ScanError } from '../errors.ts'
import type { LoadOptions } from './load-ruleset.ts'
import type { Matched } from './match-worker.ts'
import type { RulesetInfo } from './ruleset-info.ts'
import { openPool, type PoolOptions } from './worker-pool.ts'

/** Options for matching pages in workers. The options of `loadRuleset` select the rules. */
export interface DetectorOptions extends LoadOptions {
  /** Time limit for one page in milliseconds; 1000 by default. */
  readonly timeoutMs?: number
  /** Pages matched concurrently; by default one less than the number of cores, but at least 1 and at most 4. */
  readonly threads?: number
}

/** Matches pages in workers. */
export interface PageDetector {
  /**
   * Detects what a page is made with, like `detect`. Pages wait for a free worker in FIFO order.
   * @throws TypeError like `buildPage`; PageLimitError when the page takes too long or too much memory
   */
  detect(input: PageInput): Promise<Verdict>
  /** Terminates the workers. Waiting and running pages fail. */
  close(): Promise<void>
}

/** Like `PageDetector`, with what commands report in addition to the verdict. */
export interface PageMatcher {
  /** Describes the rules. */
  readonly rules: RulesetInfo
  /** @throws like `PageDetector.detect` */
  match(input: PageInput): Promise<Matched>
  close(): Promise<void>
}

/** The longest delay that a timer supports. */
const NO_LIMIT_MS = 2 ** 31 - 1
/** Heap limit of each worker. A page with 350,000 links fits. */
const MAX_OLD_MB = 512

/**
 * Starts the workers and waits until they have loaded the rules.
 * @throws the errors of `loadRuleset`
 */
export async function openPageDetector(
  options: DetectorOptions & Pick<PoolOptions, 'worker' | 'file'> = {},
): Promise<PageDetector> {
  const matcher = await openPageMatcher(options)
  return { detect: async (input) => (await matcher.match(input)).verdict, close: () => matcher.close() }
}

/** Like `openPageDetector`. @throws the errors of `loadRuleset` */
export async function openPageMatcher({
  timeoutMs = 1000,
  ...options
}: DetectorOptions & Pick<PoolOptions, 'worker' | 'networks' | 'file' | 'isWarmedUp'> = {}): Promise<PageMatcher> {
  const waiting = { maxWaiting: Number.POSITIVE_INFINITY, maxWaitMs: NO_LIMIT_MS }
  // No spare worker: loading the rules once more would cost each command more than replacing a killed worker.
  const limits = { spares: 0, matchMs: timeoutMs, loadMs: NO_LIMIT_MS, maxOldMb: MAX_OLD_MB }
  const pool = openPool({ ...options, ...waiting, ...limits })
  const rules = await pool.ready
  return {
    rules,
    async match(input) {
      const prepared = preparePageInput(input)
      try {
        return await pool.match(copyBytes(prepared))
      } catch (error) {
        if (!(error instanceof ScanError)) throw error
        if (error.reason === 'worker_killed') throw new PageLimitError(timeoutMs, { cause: error.cause })
        throw error.cause instanceof Error ? error.cause : error
      }
    },
    close: () => pool.close(),
  }
}

/** Copies the bytes of the caller, because the pool transfers bytes to the worker. `slice` of a Buffer would not copy them. */
function copyBytes(input: PageInput): PageInput {
  const copy = <V>(value: V): V | Uint8Array => (value instanceof Uint8Array ? new Uint8Array(value) : value)
  const copyAll = (bodies: PageInput['scripts']): PageInput['scripts'] =>
    bodies?.map((body) => ({ ...body, text: copy(body.text) })) ?? null
  const { html = null, scripts, styles } = input
  return { ...input, html: copy(html), scripts: copyAll(scripts), styles: copyAll(styles) }
}
