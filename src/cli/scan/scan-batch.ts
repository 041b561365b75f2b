import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { SetupError } from '../../errors.ts'
import type { CommandIo } from '../command/command.ts'
import { createProgressBar } from '../command/progress-bar.ts'
import type { Line } from '../formats/lines.ts'
import type { RecordWriter } from '../formats/record-writer.ts'
import type { ScanRecord } from '../formats/scan-record.ts'
import { readWarc, type WarcPage } from '../formats/warc.ts'
import { formatProblem, parseLine, readBatchLines, readPageLine } from './batch-lines.ts'
import { hasEnded } from './fail-on.ts'
import { mapInOrder } from './map-in-order.ts'
import { describeFailure, type Matching, matchPage, recordPage } from './match-page.ts'
import { isInShard, type Shard } from './shard.ts'
import { isSiteText } from './site-list.ts'

/** The counts of a batch run. */
export interface BatchOutcome {
  readonly pages: number
  readonly failed: number
  /** Pages with versions whose support has ended. */
  readonly ended: number
}

interface BatchOptions extends Matching {
  /** Files, read one after the other. */
  readonly inputs: readonly string[]
  /** The part of the pages that is scanned; null for all of them. */
  readonly shard: Shard | null
  /** JSON lines, or WARC. */
  readonly format: 'batch' | 'warc'
  readonly writer: RecordWriter
  /** Number of worker threads. */
  readonly threads: number
}

/**
 * Scans the pages of JSONL or WARC files (also gzip), a few at a time, in constant memory. Results are written in the order
 * of the pages. A page that fails does not affect the others.
 * @throws SetupError for a file without pages, unless only a part is scanned; errors of the file system
 */
export async function scanBatch(options: BatchOptions, io: CommandIo): Promise<BatchOutcome> {
  const { inputs, format, writer, shard } = options
  const sizes = await Promise.all(inputs.map(async (input) => (await stat(input)).size))
  const size = sizes.reduce((sum, one) => sum + one, 0)
  const bar = createProgressBar(io, '{pages} pages, {rate} pages/s')
  if (io.stderr.isTTY) bar.start(size, 0, { pages: 0, rate: '–' })
  const started = performance.now()
  const outcome = { pages: 0, failed: 0, ended: 0 }
  let bytesRead = 0
  let bytesBefore = 0
  const onBytes = (total: number): void => {
    bytesRead = bytesBefore + total
  }
  const scan = format === 'warc' ? scanWarc : scanLines
  try {
    for (const [index, input] of inputs.entries()) {
      const pagesBefore = outcome.pages
      for await (const record of scan({ ...options, input, onBytes })) {
        outcome.pages++
        if ('error' in record.outcome) outcome.failed++
        else if (hasEnded(record.outcome)) outcome.ended++
        const seconds = (performance.now() - started) / 1000
        bar.update(bytesRead, { pages: outcome.pages, rate: Math.round(outcome.pages / seconds) })
        await writer.write(record)
      }
      if (outcome.pages === pagesBefore && shard === null)
        throw new SetupError(`${input} contains no page: ${NO_PAGE_ADVICE[format]}`)
      bytesBefore += sizes[index]
    }
  } finally {
    bar.stop()
  }
  return outcome
}

/** Advice about a file without pages. */
const NO_PAGE_ADVICE = {
  batch: 'write one JSON object per line',
  warc: 'record the HTML responses of the pages, too',
} as const

interface BatchReading extends Pick<BatchOptions, 'shard' | 'include' | 'rendering' | 'matcher' | 'threads'> {
  readonly input: string
  /** Called with the number of bytes that have been read. */
  readonly onBytes: (total: number) => void
}

/** Pages in progress per thread: one that is matched and one that is read ahead. */
const PAGES_PER_THREAD = 2

function scanLines({ input, onBytes, threads, shard, ...matching }: BatchReading): AsyncGenerator<ScanRecord> {
  const lines = async function* (): AsyncGenerator<Line> {
    for await (const { line, bytesRead } of readBatchLines(input)) {
      onBytes(bytesRead)
      // A line is named by its place: its text may not be valid.
      if (isInShard(`${basename(input)}:${line.number}`, shard)) yield line
    }
  }
  return mapInOrder(lines(), (line) => scanLine(line, matching), PAGES_PER_THREAD * threads)
}

function scanWarc({ input, onBytes, threads, shard, ...matching }: BatchReading): AsyncGenerator<ScanRecord> {
  const pages = async function* (): AsyncGenerator<WarcPage> {
    for await (const page of readWarc(input, { onBytes }))
      if (isInShard(page.recordId ?? `${page.id} ${page.date}`, shard)) yield page
  }
  const scan = async (record: WarcPage): Promise<ScanRecord> => {
    const { id, date, recordId } = record
    const key = { id, ...(date !== undefined && { date }), ...(recordId !== undefined && { recordId }) }
    if ('error' in record) return { key, outcome: describeFailure(new TypeError(record.error), matching) }
    return recordPage({ key, input: record.page, warnings: record.warnings }, matching)
  }
  return mapInOrder(pages(), scan, PAGES_PER_THREAD * threads)
}

/** The error of a line that is a URL. */
const NOT_A_PAGE = 'the line is a URL, not a page in JSON: to scan a list of URLs, use --urls'

/** Scans one line. The key of the record is its `id`, or `line` with the number if it has none. */
export async function scanLine(
  { number, text, isUtf8 }: Pick<Line, 'number' | 'text' | 'isUtf8'>,
  matching: Matching,
): Promise<ScanRecord> {
  let id: unknown
  const started = performance.now()
  try {
    const line = parseLine({ text, isUtf8 })
    ;({ id } = line)
    const page = readPageLine(line)
    return { key: { id: page.id }, outcome: await matchPage(page, matching) }
  } catch (error) {
    const key: ScanRecord['key'] = typeof id === 'string' ? { id } : { line: number }
    const failure = describeFailure(error, matching, performance.now() - started)
    const isUrl = error instanceof SyntaxError && isSiteText((text ?? '').trim())
    return { key, outcome: { ...failure, error: isUrl ? NOT_A_PAGE : formatProblem(error) } }
  }
}
