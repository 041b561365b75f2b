import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AsyncIterReader } from 'warcio'
import { SetupError } from '../errors.ts'
import { type Extra, type PageDetector, type PageInput, toResult } from '../index.ts'
import { type CommandIo, writeText } from './command.ts'
import { GzipMembers } from './formats/gzip-members.ts'
import { type Line, readLines } from './formats/lines.ts'
import { BrokenDataError } from './formats/seek.ts'
import { readWarc, type WarcPage } from './formats/warc.ts'
import { mapInOrder } from './in-order.ts'
import { createProgressBar } from './progress.ts'

/** Upper bound of a line: a page of at most 4 MiB, JSON-escaped, and its headers. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Bytes per read. Even compressed a thousandfold, they fit into memory. */
const CHUNK_BYTES = 16 * 1024

/** Numbers of a batch run. */
export interface BatchOutcome {
  readonly pages: number
  readonly failed: number
}

interface BatchOptions {
  readonly input: string
  /** JSON lines, or WARC. */
  readonly format: 'batch' | 'warc'
  /** stdout when absent. */
  readonly output: string | undefined
  readonly include: readonly Extra[]
  readonly detector: PageDetector
  /** Number of worker threads. */
  readonly threads: number
}

/**
 * Scans the pages of a JSONL or WARC file (also gzip), a few at a time, in constant memory. Results are written in the order
 * of the pages. A page that fails does not affect the others.
 */
export async function scanBatch(options: BatchOptions, io: CommandIo): Promise<BatchOutcome> {
  const { input, format, output, ...rest } = options
  const { size } = await stat(input)
  const bar = createProgressBar(io, '{pages} pages, {rate} pages/s')
  if (io.stderr.isTTY) bar.start(size, 0, { pages: 0, rate: '–' })
  const started = performance.now()
  const outcome = { pages: 0, failed: 0 }
  let bytesRead = 0
  const onBytes = (total: number): void => {
    bytesRead = total
  }
  const results = format === 'warc' ? scanWarc(input, { ...rest, onBytes }) : scanLines(input, { ...rest, onBytes })
  const failures: unknown[] = []
  const lines = async function* (): AsyncGenerator<string> {
    try {
      for await (const result of results) {
        outcome.pages++
        if ('error' in result) outcome.failed++
        const seconds = (performance.now() - started) / 1000
        bar.update(bytesRead, { pages: outcome.pages, rate: Math.round(outcome.pages / seconds) })
        yield `${JSON.stringify(result)}\n`
      }
    } catch (error) {
      failures.push(error) // Thrown here, it would discard results that are not written yet.
    }
  }
  try {
    await writeAll(lines(), output, io)
  } finally {
    bar.stop()
  }
  if (failures.length > 0) throw failures[0]
  return outcome
}

interface Reading extends Pick<BatchOptions, 'include' | 'detector' | 'threads'> {
  /** Called with the number of bytes that have been read. */
  readonly onBytes: (total: number) => void
}

type OutputLine = Readonly<Record<string, unknown>>

/** Pages in progress per thread: one that is matched and one that is read ahead. */
const PAGES_PER_THREAD = 2

function scanLines(input: string, { include, onBytes, detector, threads }: Reading): AsyncGenerator<OutputLine> {
  const lines = async function* (): AsyncGenerator<Line> {
    for await (const { line, bytesRead } of readBatchLines(input)) {
      onBytes(bytesRead)
      yield line
    }
  }
  return mapInOrder(lines(), (line) => scanLine(line, detector, include), PAGES_PER_THREAD * threads)
}

/** Reads the lines of a JSONL file that are not empty, and the bytes of the file that have been read so far. */
async function* readBatchLines(file: string): AsyncGenerator<{ readonly line: Line; readonly bytesRead: number }> {
  const raw = createReadStream(file, { highWaterMark: CHUNK_BYTES })
  const bytes = /\.gz$/i.test(file) ? unzip(raw, file) : raw
  for await (const line of readLines(bytes, MAX_LINE_BYTES))
    if (line.text?.trim() !== '') yield { line, bytesRead: raw.bytesRead }
}

function scanWarc(input: string, { include, onBytes, detector, threads }: Reading): AsyncGenerator<OutputLine> {
  const scan = async (record: WarcPage): Promise<OutputLine> => {
    if ('error' in record) return { id: record.id, error: record.error, code: 'invalid_request' }
    try {
      const result = toResult(await detector.detect(record.page), include)
      const warnings = result.warnings && [...record.warnings, ...result.warnings]
      return { id: record.id, result: { ...result, ...(warnings && { warnings }) } }
    } catch (error) {
      return { id: record.id, ...toFailure(error) }
    }
  }
  return mapInOrder(readWarc(input, { onBytes }), scan, PAGES_PER_THREAD * threads)
}

/** Formats an error. Invalid input is a TypeError or SyntaxError. */
function toFailure(error: unknown): OutputLine {
  const code = error instanceof TypeError || error instanceof SyntaxError ? 'invalid_request' : 'scan_failed'
  return { error: (error as Error).message, code }
}

async function* unzip(raw: ReadStream, input: string): AsyncGenerator<Uint8Array> {
  try {
    yield* new GzipMembers(new AsyncIterReader(raw, null))
    if (raw.bytesRead === 0) throw new BrokenDataError('the file is empty')
  } catch (error) {
    throw error instanceof BrokenDataError ? new SetupError(`${input} cannot be unzipped: ${error.message}`) : error
  }
}

async function writeAll(lines: AsyncIterable<string>, output: string | undefined, io: CommandIo): Promise<void> {
  if (output !== undefined) {
    await pipeline(Readable.from(lines), createWriteStream(output))
    return
  }
  for await (const line of lines) await writeText(io.stdout, line)
}

/** Scans one line. Returns `{id, result}`, or `{id or line, error, code}`. */
export async function scanLine(
  { number, text, isUtf8 }: Pick<Line, 'number' | 'text' | 'isUtf8'>,
  detector: Pick<PageDetector, 'detect'>,
  include: readonly Extra[],
): Promise<OutputLine> {
  let id: unknown
  try {
    const line = parseLine({ text, isUtf8 })
    ;({ id } = line)
    return { id, result: toResult(await detector.detect(readPageLine(line).input), include) }
  } catch (error) {
    return { ...(typeof id === 'string' ? { id } : { line: number }), ...toFailure(error), error: formatProblem(error) }
  }
}

function formatProblem(error: unknown): string {
  const { message } = error as Error
  return error instanceof SyntaxError ? `the line is not valid JSON: ${message}` : message
}

/** @throws TypeError or SyntaxError for a line that is not a JSON object */
function parseLine({ text, isUtf8 }: Pick<Line, 'text' | 'isUtf8'>): Readonly<Record<string, unknown>> {
  if (text === null) throw new TypeError(`the line is longer than ${MAX_LINE_BYTES} bytes`)
  if (!isUtf8) throw new TypeError('the line is not valid UTF-8: write it in UTF-8')
  const line: unknown = JSON.parse(text)
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw new TypeError('the line must be a JSON object')
  return line as Readonly<Record<string, unknown>>
}

/** @throws TypeError naming the field that does not fit */
function readPageLine(line: Readonly<Record<string, unknown>>): { readonly id: string; readonly input: PageInput } {
  const { id } = line
  if (typeof id !== 'string') throw new TypeError('id must be a string')
  return { id, input: readInput(line) }
}

/**
 * Reads the pages of a JSONL file (also gzip) in constant memory.
 * @throws SetupError naming the first line that is not a page; errors of the file system
 */
export async function* readBatchFile(file: string): AsyncGenerator<{ readonly id: string; readonly input: PageInput }> {
  for await (const { line } of readBatchLines(file))
    try {
      yield readPageLine(parseLine(line))
    } catch (error) {
      throw new SetupError(`${file}:${line.number}: ${formatProblem(error)}`)
    }
}

function readInput(line: Readonly<Record<string, unknown>>): PageInput {
  const { url, status, headers, html, scripts, styles } = line
  if (!isAbsent(url) && typeof url !== 'string') throw new TypeError('url must be a string or null')
  if (!isAbsent(status) && !(Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999))
    throw new TypeError('status must be an HTTP status code or null')
  if (!isAbsent(headers) && !isPairs(headers)) throw new TypeError('headers must be a list of [name, value] or null')
  if (!isAbsent(html) && typeof html !== 'string') throw new TypeError('html must be a string or null')
  for (const [key, bodies] of Object.entries({ scripts, styles }))
    if (!isAbsent(bodies) && !areBodies(bodies)) throw new TypeError(`${key} must be a list of {url, text} or null`)
  return { url, status, headers, html, scripts, styles } as PageInput
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

function areBodies(bodies: unknown): boolean {
  const isBody = (body: { url?: unknown; text?: unknown } | null): boolean =>
    typeof body === 'object' && body !== null && typeof body.url === 'string' && typeof body.text === 'string'
  return Array.isArray(bodies) && bodies.every(isBody)
}

function isPairs(headers: unknown): boolean {
  return (
    Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'))
  )
}
