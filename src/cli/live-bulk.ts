import { createReadStream } from 'node:fs'
import { HostLimiter } from '../fetch/host-limiter.ts'
import { toErrorBody, toLiveResult } from '../scan/scanner.ts'
import { EXIT, UsageError } from './command.ts'
import { openAnswers } from './formats/bulk-output.ts'
import { readLines } from './formats/lines.ts'
import { type LiveOptions, openScanner } from './live-scan.ts'
import { runPolitely } from './per-host-scheduler.ts'
import { openBar } from './progress.ts'

/** Between two scans of one host. */
const PAUSE_MS = 1000
/** Longer lines are told as what they are: no URL. */
const MAX_LINE_BYTES = 64 * 1024
const STOPPED = 130

interface BulkOptions extends LiveOptions {
  /** URLs of the command line, … */
  readonly positionals: readonly string[]
  /** … and a file with one a line. */
  readonly urls?: string | undefined
  readonly out?: string | undefined
  readonly resume: boolean
  readonly concurrency: number
}

/** Scans many sites, politely. What is done when Ctrl-C comes is kept. */
export async function scanBulk(options: BulkOptions): Promise<number> {
  const { out, resume, include, concurrency } = options
  if (out !== undefined && /\.csv$/i.test(out) && include.length > 0)
    throw new UsageError('--include does not go with CSV: write --out to a .jsonl file')
  const total = await countUrls(options)
  if (total === 0) throw new UsageError(`there is no URL in ${options.urls}: write one a line`)
  // Nobody waits at the other end: a page may wait for its worker as long as it takes.
  const pool = { maxWaiting: concurrency, maxWaitMs: 3_600_000 }
  const scanner = openScanner(options, {
    policy: { connections: 1 },
    pool,
    hostLimiter: new HostLimiter({ slotsPerHost: 1, pauseMs: PAUSE_MS, pausesDeadline: true }),
  })
  const stop = new AbortController()
  const onStop = (): void => stop.abort()
  const bar = openBar('{value} of {total} sites, {rate} sites/s', { gracefulExit: false }) // Ctrl-C is ours.
  const count = { done: 0, failed: 0 }
  let known = 0
  try {
    await scanner.ready()
    const answers = await openAnswers(out, resume)
    known = answers.done.size
    process.once('SIGINT', onStop).once('SIGTERM', onStop)
    bar.start(total, answers.done.size, { rate: '–' })
    const started = performance.now()
    const run = async (url: string): Promise<void> => {
      const scan = await scanner.scan(url, { signal: stop.signal }).catch((error: unknown) => ({ error }))
      if (stop.signal.aborted && 'error' in scan) return // Not done: it is scanned when the run goes on.
      await answers.write(
        'error' in scan ? { url, ...toErrorBody(scan.error) } : { url, result: toLiveResult(scan, include) },
      )
      count.done++
      if ('error' in scan) count.failed++
      bar.increment({ rate: ((count.done * 1000) / (performance.now() - started)).toFixed(1) })
    }
    const jobs = withoutDone(readUrls(options), answers.done)
    await runPolitely({ jobs, hostOf, run, concurrency, pauseMs: PAUSE_MS, signal: stop.signal })
  } finally {
    bar.stop()
    process.off('SIGINT', onStop).off('SIGTERM', onStop)
    await scanner.close()
  }
  const before = known > 0 ? `, ${known} were there already` : ''
  process.stderr.write(`${count.done} sites, ${count.failed} failed${before}\n`)
  if (!stop.signal.aborted) return count.failed > 0 ? EXIT.findings : EXIT.fine
  process.stderr.write(out === undefined ? 'stopped\n' : 'stopped: --resume goes on where this ended\n')
  return STOPPED
}

function hostOf(url: string): string {
  try {
    return new URL(url.trim()).host
  } catch {
    return url
  }
}

/** Each URL once. */
async function* withoutDone(urls: AsyncIterable<string>, done: ReadonlySet<string>): AsyncGenerator<string> {
  const seen = new Set(done)
  for await (const url of urls) if (seen.size < seen.add(url).size) yield url
}

/** URLs of the command line, then those of the file: one a line, `#` begins a comment. */
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
