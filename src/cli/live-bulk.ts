import { setMaxListeners } from 'node:events'
import { ScanError } from '../errors.ts'
import { HostLimiter } from '../fetch/host-limiter.ts'
import { type LiveScan, type Scanner, toErrorBody, toLiveResult } from '../scan/scanner.ts'
import { type CommandIo, EXIT, UsageError } from './command.ts'
import { type BulkOutput, type Continuation, openBulkOutput } from './formats/bulk-output.ts'
import { type LiveOptions, openScanner } from './live-scan.ts'
import { runPerHost } from './per-host-scheduler.ts'
import { createProgressBar } from './progress.ts'
import { countSites, type ListedSite, type ListSource, readHost, readSites, skipDone } from './site-list.ts'

/** Pause between two scans of one host. */
const PAUSE_MS = 1000
/** Exit code after Ctrl-C: 128 + SIGINT. */
const EXIT_STOPPED = 130

interface BulkOptions extends LiveOptions, ListSource {
  readonly out?: string | undefined
  readonly continuation: Continuation
  readonly concurrency: number
}

/** Scans many sites, one at a time per host. Ctrl-C keeps everything that is done. @returns the exit code */
export async function scanBulk(options: BulkOptions, io: CommandIo): Promise<number> {
  const { out, include, concurrency } = options
  if (out !== undefined && /\.csv$/i.test(out) && include.length > 0)
    throw new UsageError('--include cannot be used with CSV: give --out a name that ends in .jsonl')
  const { sites: total, duplicates } = await countSites(options)
  if (total === 0) throw new UsageError(`${options.urls} contains no URL: write one per line`)
  const scanner = openScanner(options, io, {
    policy: { connections: 1 },
    // No client is waiting, so a page may wait for a worker without a practical limit.
    pool: { maxWaiting: concurrency, maxWaitMs: 3_600_000 },
    hostLimiter: new HostLimiter({ slotsPerHost: 1, pauseMs: PAUSE_MS, pausesDeadline: true }),
  })
  const stop = new AbortController()
  setMaxListeners(0, stop.signal) // Each concurrent scan listens to it, so their number is bounded by `concurrency`.
  const onStop = (): void => stop.abort()
  try {
    await scanner.ready()
    const output = await openBulkOutput(out, options.continuation, io.stdout)
    const known = output.done.size
    process.once('SIGINT', onStop).once('SIGTERM', onStop)
    const { done, codes } = await scanSites(options, io, { scanner, output, total, signal: stop.signal })
    const failed = [...codes.values()].reduce((sum, count) => sum + count, 0)
    io.stderr.write(formatSummary({ done, known, duplicates, failed, codes }))
    if (!stop.signal.aborted) return failed > 0 ? EXIT.findings : EXIT.ok
    io.stderr.write(out === undefined ? 'stopped\n' : 'stopped: continue with --resume\n')
    return EXIT_STOPPED
  } finally {
    process.off('SIGINT', onStop).off('SIGTERM', onStop)
    await scanner.close()
  }
}

interface Run {
  readonly scanner: Scanner
  readonly output: BulkOutput
  /** Number of URLs, for the progress bar. */
  readonly total: number
  readonly signal: AbortSignal
}

/** What a run did. */
interface Summary {
  /** Sites that this run scanned. */
  readonly done: number
  /** Sites that an earlier run scanned. */
  readonly known: number
  /** Entries of the list that repeat a site. */
  readonly duplicates: number
  readonly failed: number
  /** Error code → number of sites. */
  readonly codes: ReadonlyMap<string, number>
}

function formatSummary({ done, known, duplicates, failed, codes }: Summary): string {
  const parts = [`${done} sites`, `${failed} failed`]
  if (known > 0) parts.push(`${known} already done`)
  if (duplicates > 0) parts.push(`${duplicates} ${duplicates === 1 ? 'duplicate' : 'duplicates'} skipped`)
  const sorted = [...codes].sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
  const failures = sorted.map(([code, count]) => `${code} ${count}`).join(', ')
  return `${parts.join(', ')}\n${failures === '' ? '' : `failed: ${failures}\n`}`
}

async function scanSites(
  options: BulkOptions,
  io: CommandIo,
  { scanner, output, total, signal }: Run,
): Promise<Pick<Summary, 'done' | 'codes'>> {
  const { include, concurrency } = options
  const codes = new Map<string, number>()
  let done = 0
  const bar = createProgressBar(io, '{value} of {total} sites, {rate} sites/s', { gracefulExit: false }) // Ctrl-C is handled above.
  bar.start(total, output.done.size, { rate: '–' })
  const started = performance.now()
  const run = async (site: ListedSite): Promise<void> => {
    const { text: url } = site
    const scan = await scanSite(scanner, site, signal).catch((error: unknown) => ({ error }))
    if (signal.aborted && 'error' in scan) return // Not done: the next run scans it.
    const line = 'error' in scan ? { url, ...toErrorBody(scan.error) } : { url, result: toLiveResult(scan, include) }
    await output.write(line)
    done++
    if ('code' in line) codes.set(line.code, (codes.get(line.code) ?? 0) + 1)
    bar.increment({ rate: ((done * 1000) / (performance.now() - started)).toFixed(1) })
  }
  const jobs = skipDone(readSites(options), output.done)
  try {
    await runPerHost({ jobs, readHost, run, concurrency, pauseMs: PAUSE_MS, signal })
  } finally {
    bar.stop()
  }
  return { done, codes }
}

/** Scans a site. A bare domain is scanned with `http://` if its server refuses the connection for `https://`. */
async function scanSite(scanner: Scanner, { urls }: ListedSite, signal: AbortSignal): Promise<LiveScan> {
  const [url, fallback] = urls
  try {
    return await scanner.scan(url, { signal })
  } catch (error) {
    if (fallback === undefined || !(error instanceof ScanError) || error.reason !== 'connection_refused') throw error
    return await scanner.scan(fallback, { signal })
  }
}
