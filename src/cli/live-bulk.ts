import { createReadStream } from 'node:fs'
import { HostLimiter } from '../fetch/host-limiter.ts'
import { type Scanner, toErrorBody, toLiveResult } from '../scan/scanner.ts'
import { type CommandIo, EXIT, UsageError } from './command.ts'
import { type BulkOutput, openBulkOutput } from './formats/bulk-output.ts'
import { readLines } from './formats/lines.ts'
import { type LiveOptions, openScanner } from './live-scan.ts'
import { runPerHost } from './per-host-scheduler.ts'
import { createProgressBar } from './progress.ts'

/** Pause between two scans of one host. */
const PAUSE_MS = 1000
/** A longer line is reported as an invalid URL. */
const MAX_LINE_BYTES = 64 * 1024
/** Exit code after Ctrl-C: 128 + SIGINT. */
const EXIT_STOPPED = 130

interface BulkOptions extends LiveOptions {
  /** URLs of the command line. */
  readonly positionals: readonly string[]
  /** A file with one URL per line. */
  readonly urls?: string | undefined
  readonly out?: string | undefined
  readonly resume: boolean
  readonly concurrency: number
}

/** Scans many sites, one at a time per host. Ctrl-C keeps everything that is done. @returns the exit code */
export async function scanBulk(options: BulkOptions, io: CommandIo): Promise<number> {
  const { out, include, concurrency } = options
  if (out !== undefined && /\.csv$/i.test(out) && include.length > 0)
    throw new UsageError('--include cannot be used with CSV: give --out a name that ends in .jsonl')
  const total = await countUrls(options)
  if (total === 0) throw new UsageError(`${options.urls} contains no URL: write one per line`)
  const scanner = openScanner(options, io, {
    policy: { connections: 1 },
    // No client is waiting, so a page may wait for a worker without a practical limit.
    pool: { maxWaiting: concurrency, maxWaitMs: 3_600_000 },
    hostLimiter: new HostLimiter({ slotsPerHost: 1, pauseMs: PAUSE_MS, pausesDeadline: true }),
  })
  const stop = new AbortController()
  const onStop = (): void => stop.abort()
  try {
    await scanner.ready()
    const output = await openBulkOutput(out, options.resume, io.stdout)
    const known = output.done.size
    process.once('SIGINT', onStop).once('SIGTERM', onStop)
    const { done, failed } = await scanUrls(options, io, { scanner, output, total, signal: stop.signal })
    io.stderr.write(`${done} sites, ${failed} failed${known > 0 ? `, ${known} already done` : ''}\n`)
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

async function scanUrls(
  options: BulkOptions,
  io: CommandIo,
  { scanner, output, total, signal }: Run,
): Promise<{ readonly done: number; readonly failed: number }> {
  const { include, concurrency } = options
  const count = { done: 0, failed: 0 }
  const bar = createProgressBar(io, '{value} of {total} sites, {rate} sites/s', { gracefulExit: false }) // Ctrl-C is handled above.
  bar.start(total, output.done.size, { rate: '–' })
  const started = performance.now()
  const run = async (url: string): Promise<void> => {
    const scan = await scanner.scan(url, { signal }).catch((error: unknown) => ({ error }))
    if (signal.aborted && 'error' in scan) return // Not done: the next run scans it.
    const isFailed = 'error' in scan
    await output.write(isFailed ? { url, ...toErrorBody(scan.error) } : { url, result: toLiveResult(scan, include) })
    count.done++
    if (isFailed) count.failed++
    bar.increment({ rate: ((count.done * 1000) / (performance.now() - started)).toFixed(1) })
  }
  const jobs = skipDone(readUrls(options), output.done)
  try {
    await runPerHost({ jobs, readHost, run, concurrency, pauseMs: PAUSE_MS, signal })
  } finally {
    bar.stop()
  }
  return count
}

function readHost(url: string): string {
  try {
    return new URL(url.trim()).host
  } catch {
    return url
  }
}

/** Yields each URL once, without those that are done. */
async function* skipDone(urls: AsyncIterable<string>, done: ReadonlySet<string>): AsyncGenerator<string> {
  const seen = new Set(done)
  for await (const url of urls) if (seen.size < seen.add(url).size) yield url
}

/** Yields the URLs of the command line, then those of the file: one per line, `#` begins a comment. */
async function* readUrls({ positionals, urls }: BulkOptions): AsyncGenerator<string> {
  yield* positionals
  if (urls === undefined) return
  for await (const { text, number } of readLines(createReadStream(urls), MAX_LINE_BYTES)) {
    const url = text?.trim() ?? `line ${number} is longer than ${MAX_LINE_BYTES} bytes`
    if (url !== '' && !url.startsWith('#')) yield url
  }
}

async function countUrls(options: BulkOptions): Promise<number> {
  const urls = new Set<string>()
  for await (const url of readUrls(options)) urls.add(url)
  return urls.size
}
