import { setMaxListeners } from 'node:events'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import { type ScanCause, ScanError } from '../../errors.ts'
import { HostLimiter } from '../../fetch/host-limiter.ts'
import { toErrorBody, toLiveResult } from '../../scan/live-result.ts'
import type { Scanner } from '../../scan/scanner.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { createProgressBar } from '../command/progress-bar.ts'
import { type BulkOutput, type Continuation, openBulkOutput } from '../formats/bulk-output.ts'
import type { CarriedColumn } from '../formats/record-format.ts'
import type { ScanRecord } from '../formats/scan-record.ts'
import { buildTableFormat } from '../formats/technology-table.ts'
import { adviseAllow } from './allow-hint.ts'
import { hasEnded, reportEnded } from './fail-on.ts'
import { type ListInput, openListInput } from './list-input.ts'
import { type LiveOptions, MAX_WAIT_MS, openScanner, startListRenderer } from './live-scan.ts'
import { buildOutputFormat } from './output-options.ts'
import { type PauseAfter, runPerHost } from './per-host-scheduler.ts'
import { scanSite } from './scan-site.ts'
import {
  countSites,
  type ListedSite,
  type ListSource,
  openSiteList,
  readHost,
  type SiteList,
  skipDone,
} from './site-list.ts'

/** Pause between two scans of one host. */
const PAUSE_MS = 1000
/** Exit code after Ctrl-C: 128 + SIGINT. */
const EXIT_STOPPED = 130

/** Causes of failures that no request to the host precedes. */
const CAUSES_WITHOUT_REQUEST: ReadonlySet<ScanCause> = new Set([
  'not_a_url',
  'not_public',
  'port_refused',
  'denied',
  'own_host',
  'name_not_found',
  'lookup_failed',
  'address_refused',
])

interface BulkOptions extends LiveOptions, Omit<ListSource, 'input'> {
  /** A file with one site per line, or a CSV file; `-` for standard input. */
  readonly urls?: string | undefined
  readonly out?: string | undefined
  /** File of the table of technologies. */
  readonly table?: string | undefined
  /** Value of `--columns`. */
  readonly columns?: string | undefined
  /** Whether cells of the input that look like a formula stay as they are in CSV. */
  readonly isRaw: boolean
  readonly continuation: Continuation
  readonly concurrency: number
}

/** Scans many sites, one at a time per host. Ctrl-C keeps the results so far. @returns the exit code */
export async function scanBulk(options: BulkOptions, io: CommandIo): Promise<number> {
  const input = options.urls === undefined ? undefined : await openListInput(options.urls, io)
  try {
    return await scanList({ ...options, input }, io)
  } finally {
    await input?.close()
  }
}

type BulkListOptions = BulkOptions & { readonly input: ListInput | undefined }

async function scanList(options: BulkListOptions, io: CommandIo): Promise<number> {
  const { out, concurrency } = options
  const list = await openSiteList(options)
  const { sites: total, duplicates, empty } = await countSites(list)
  if (total === 0) throw new UsageError(formatNoSite(options))
  const renderer = await startListRenderer(options, io)
  const scanner = await openScanner({ ...options, renderer }, io, {
    policy: { connections: 1 },
    // No client is waiting, so a page may wait for a worker and for the browser.
    pool: { maxWaiting: concurrency, maxWaitMs: MAX_WAIT_MS },
    hostLimiter: new HostLimiter({ slotsPerHost: 1, pauseMs: PAUSE_MS, pausesDeadline: true }),
  })
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // Each concurrent scan listens to it, so their number is bounded by `concurrency`.
  const onStop = (): void => stop.abort()
  try {
    const rules = await scanner.ready()
    const output = await openOutput(options, list, io)
    const known = output.done.size
    process.once('SIGINT', onStop).once('SIGTERM', onStop)
    const run = { list, scanner, rules, output, total, signal: stop.signal }
    const { done, codes, advice, ended, unrendered } = await scanSites(options, io, run).finally(() => output.close())
    const failed = [...codes.values()].reduce((sum, count) => sum + count, 0)
    io.stderr.write(formatSummary({ done, known, duplicates, empty, failed, codes, unrendered }))
    for (const sentence of advice) io.stderr.write(`${sentence}\n`)
    const isEnded = options.failsOnEnded && reportEnded(ended, io)
    if (!stop.signal.aborted) return failed > 0 || isEnded ? EXIT.findings : EXIT.ok
    io.stderr.write(out === undefined ? 'stopped\n' : 'stopped: continue with --resume\n')
    return EXIT_STOPPED
  } finally {
    process.off('SIGINT', onStop).off('SIGTERM', onStop)
    await scanner.close()
    await renderer?.close()
  }
}

function formatNoSite({ input, column }: BulkListOptions): string {
  if (column !== undefined) return `the column "${column}" of ${input?.name} contains no site`
  return `${input?.name} contains no URL: write one per line`
}

function openOutput(
  { out, table, columns, isRaw, include, continuation }: BulkOptions,
  { carried }: { readonly carried: readonly CarriedColumn[] },
  { stdout }: CommandIo,
): Promise<BulkOutput> {
  const output = buildOutputFormat({ out, columns }, 'live', { carried, isRaw, withMeta: include.includes('meta') })
  const formats = { output, table: table === undefined ? null : buildTableFormat(table, 'live') }
  return openBulkOutput({ out, table }, formats, { continuation, stdout })
}

interface BulkRun {
  readonly list: SiteList
  readonly rules: RulesetInfo
  readonly scanner: Scanner
  readonly output: BulkOutput
  /** Number of URLs, for the progress bar. */
  readonly total: number
  readonly signal: AbortSignal
}

/** The counts of a run. */
interface Summary {
  /** Sites that this run scanned. */
  readonly done: number
  /** Sites that an earlier run scanned. */
  readonly known: number
  /** Entries of the list that repeat a site. */
  readonly duplicates: number
  /** Rows without a site. */
  readonly empty: number
  readonly failed: number
  /** Sites that were to be rendered and were not. */
  readonly unrendered: number
  /** Error code → number of sites. */
  readonly codes: ReadonlyMap<string, number>
}

/** Maximum number of sentences of advice in one run. */
const MAX_ADVICE = 3

/** The outcome of a run. */
interface RunOutcome extends Pick<Summary, 'done' | 'codes' | 'unrendered'> {
  /** Sites with versions whose support has ended. */
  readonly ended: number
  /** What to do about sites that failed. */
  readonly advice: ReadonlySet<string>
}

function formatSummary({ done, known, duplicates, empty, failed, codes, unrendered }: Summary): string {
  const parts = [formatCount(done, 'site'), `${failed} failed`]
  if (unrendered > 0) parts.push(`${unrendered} not rendered`)
  if (known > 0) parts.push(`${known} already done`)
  if (duplicates > 0) parts.push(`${formatCount(duplicates, 'duplicate')} skipped`)
  if (empty > 0) parts.push(`${formatCount(empty, 'row')} without a site`)
  const sorted = [...codes].sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
  const failures = sorted.map(([code, count]) => `${code} ${count}`).join(', ')
  return `${parts.join(', ')}\n${failures === '' ? '' : `failed: ${failures}\n`}`
}

async function scanSites(options: BulkListOptions, io: CommandIo, run: BulkRun): Promise<RunOutcome> {
  const { concurrency } = options
  const { list, output, total, signal } = run
  const codes = new Map<string, number>()
  const advice = new Set<string>()
  let [done, ended, unrendered] = [0, 0, 0]
  const bar = createProgressBar(io, '{value} of {total} sites, {rate} sites/s', { gracefulExit: false }) // Ctrl-C is handled above.
  bar.start(total, output.done.size, { rate: '–' })
  const started = performance.now()
  const scan = async (site: ListedSite): Promise<PauseAfter> => {
    const { record, cause, sentence, isUnrendered } = await scanListed(site, run, options)
    if (signal.aborted && 'code' in record.outcome) return 'none' // Not done: the next run scans it.
    await output.write(record)
    if (sentence !== null && advice.size < MAX_ADVICE) advice.add(sentence)
    done++
    if (isUnrendered) unrendered++
    const { outcome } = record
    if ('verdict' in outcome && hasEnded(outcome)) ended++
    if ('code' in outcome) codes.set(outcome.code, (codes.get(outcome.code) ?? 0) + 1)
    bar.increment({ rate: ((done * 1000) / (performance.now() - started)).toFixed(1) })
    return cause !== null && CAUSES_WITHOUT_REQUEST.has(cause) ? 'none' : 'pause'
  }
  const jobs = skipDone(list.read(), output.done)
  try {
    await runPerHost({ jobs, readHost, run: scan, concurrency, pauseMs: PAUSE_MS, signal })
  } finally {
    bar.stop()
  }
  return { done, codes, advice, ended, unrendered }
}

/** Advises to name the column if the entry of a list looks like a row of a table. */
function adviseColumn(
  cause: ScanCause | null,
  { text }: ListedSite,
  { input, column }: BulkListOptions,
): string | null {
  if (cause !== 'not_a_url' || input === undefined || column !== undefined || !/[,;\t|]/.test(text)) return null
  return `If ${input.name} is a table, name the column that contains the sites with --column.`
}

/** The record of a site, and why its scan failed. */
interface ListedOutcome {
  readonly record: ScanRecord
  readonly cause: ScanCause | null
  /** What to do about a failure; null if nothing is known. */
  readonly sentence: string | null
  /** Whether the page was to be rendered and was not. */
  readonly isUnrendered?: boolean
}

/** Scans a site of the list. A failure is part of the record. */
async function scanListed(
  site: ListedSite,
  { scanner, rules, signal }: BulkRun,
  options: BulkListOptions,
): Promise<ListedOutcome> {
  const started = performance.now()
  const key = { url: site.text }
  try {
    const scan = await scanSite(scanner, site, { signal, pages: options.pages ?? 1, render: options.render })
    const { verdict, infrastructure, timing, meta, details, packages, parts } = scan
    const facts = { scannedAt: meta.scannedAt, durationMs: timing.total, ruleset: meta.ruleset }
    const page = { ...facts, verdict, details, packages, parts, infrastructure, status: meta.status, title: meta.title }
    const outcome = { ...page, result: toLiveResult(scan, options.include) }
    const { isUnrendered = false } = scan
    return { record: { key, input: site.input, outcome }, cause: null, sentence: null, isUnrendered }
  } catch (error) {
    const durationMs = performance.now() - started
    const facts = { scannedAt: new Date().toISOString(), durationMs, ruleset: rules.version }
    const record = { key, input: site.input, outcome: { ...facts, ...toErrorBody(error) } }
    const cause = error instanceof ScanError ? error.reason : null
    return { record, cause, sentence: adviseAllow(error, site, options) ?? adviseColumn(cause, site, options) }
  }
}
