import { createReadStream, createWriteStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AsyncIterReader } from 'warcio'
import { SetupError } from '../errors.ts'
import { type Extra, type PageDetector, type PageInput, toResult } from '../index.ts'
import { GzipMembers } from './formats/gzip-members.ts'
import { type Line, readLines } from './formats/lines.ts'
import { BrokenData } from './formats/seek.ts'
import { readWarc, type WarcPage } from './formats/warc.ts'
import { mapInOrder } from './in-order.ts'
import { openBar } from './progress.ts'

/** A line holds a page of at most 4 MiB, escaped, and its headers. */
const MAX_LINE_BYTES = 64 * 1024 * 1024
/** Bytes that are read at once: packed a thousandfold, they still fit into memory. */
const CHUNK_BYTES = 16 * 1024

/** What a batch run came to. */
export interface BatchOutcome {
  readonly pages: number
  readonly failed: number
}

interface BatchOptions {
  readonly input: string
  /** JSONL of pages, or WARC. */
  readonly format: 'batch' | 'warc'
  /** stdout when absent. */
  readonly output?: string
  readonly include: readonly Extra[]
  readonly detector: PageDetector
  /** Pages matched at once. */
  readonly threads: number
}

/**
 * Scans the pages of a JSONL or WARC file (gzip too), a few at a time, in constant memory. Answers come in the order of the
 * pages. A bad page costs itself alone.
 */
export async function scanBatch({ input, format, output, ...rest }: BatchOptions): Promise<BatchOutcome> {
  const { size } = await stat(input)
  const bar = openBar('{pages} pages, {rate} pages/s')
  if (process.stderr.isTTY) bar.start(size, 0, { pages: 0, rate: '–' })
  const started = performance.now()
  const outcome = { pages: 0, failed: 0 }
  let bytesRead = 0
  const onBytes = (total: number): void => {
    bytesRead = total
  }
  const answers = format === 'warc' ? scanWarc(input, { ...rest, onBytes }) : scanLines(input, { ...rest, onBytes })
  const faults: unknown[] = []
  const lines = async function* (): AsyncGenerator<string> {
    try {
      for await (const answer of answers) {
        outcome.pages++
        if ('error' in answer) outcome.failed++
        const seconds = (performance.now() - started) / 1000
        bar.update(bytesRead, { pages: outcome.pages, rate: Math.round(outcome.pages / seconds) })
        yield `${JSON.stringify(answer)}\n`
      }
    } catch (error) {
      faults.push(error) // Thrown here, it would cost the answers that are not written yet.
    }
  }
  try {
    await writeAll(lines(), output)
  } finally {
    bar.stop()
  }
  if (faults.length > 0) throw faults[0]
  return outcome
}

interface Reading extends Pick<BatchOptions, 'include' | 'detector' | 'threads'> {
  /** Is told how many bytes of the file were read. */
  readonly onBytes: (total: number) => void
}

type Answer = Readonly<Record<string, unknown>>

/** While the workers match, one page more is read ahead for each. */
const AHEAD = 2

function scanLines(input: string, { include, onBytes, detector, threads }: Reading): AsyncGenerator<Answer> {
  const raw = createReadStream(input, { highWaterMark: CHUNK_BYTES })
  const bytes = /\.gz$/i.test(input) ? unzip(raw, input) : raw
  const lines = async function* (): AsyncGenerator<Line> {
    for await (const line of readLines(bytes, MAX_LINE_BYTES)) {
      onBytes(raw.bytesRead)
      if (line.text?.trim() !== '') yield line
    }
  }
  return mapInOrder(lines(), (line) => scanLine(line, detector, include), AHEAD * threads)
}

function scanWarc(input: string, { include, onBytes, detector, threads }: Reading): AsyncGenerator<Answer> {
  const scan = async (record: WarcPage): Promise<Answer> => {
    if ('error' in record) return { id: record.id, error: record.error, code: 'invalid_request' }
    try {
      const result = toResult(await detector.detect(record.page), include)
      const warnings = result.warnings && [...record.warnings, ...result.warnings]
      return { id: record.id, result: { ...result, ...(warnings && { warnings }) } }
    } catch (error) {
      return { id: record.id, ...toFailure(error) }
    }
  }
  return mapInOrder(readWarc(input, { onBytes }), scan, AHEAD * threads)
}

/** What is wrong with the page itself is a TypeError. */
function toFailure(error: unknown): Answer {
  const code = error instanceof TypeError || error instanceof SyntaxError ? 'invalid_request' : 'scan_failed'
  return { error: (error as Error).message, code }
}

async function* unzip(raw: ReadStream, input: string): AsyncGenerator<Uint8Array> {
  try {
    yield* new GzipMembers(new AsyncIterReader(raw, null))
    if (raw.bytesRead === 0) throw new BrokenData('the file is empty')
  } catch (error) {
    throw error instanceof BrokenData ? new SetupError(`${input} cannot be unzipped: ${error.message}`) : error
  }
}

async function writeAll(lines: AsyncIterable<string>, output: string | undefined): Promise<void> {
  if (output !== undefined) {
    await pipeline(Readable.from(lines), createWriteStream(output))
    return
  }
  const stdout: Writable = process.stdout
  for await (const line of lines) if (!stdout.write(line)) await new Promise((resolve) => stdout.once('drain', resolve))
}

/** Scans one line: `{id, result}`, or `{id or line, error, code}`. */
export async function scanLine(
  { number, text, isUtf8 }: Pick<Line, 'number' | 'text' | 'isUtf8'>,
  detector: Pick<PageDetector, 'detect'>,
  include: readonly Extra[],
): Promise<Answer> {
  let id: unknown
  try {
    if (text === null) throw new TypeError(`the line is longer than ${MAX_LINE_BYTES} bytes`)
    if (!isUtf8) throw new TypeError('the line is not valid UTF-8: write it in UTF-8')
    const line: unknown = JSON.parse(text)
    if (typeof line !== 'object' || line === null || Array.isArray(line)) throw new TypeError('a line is a JSON object')
    ;({ id } = line as { id?: unknown })
    if (typeof id !== 'string') throw new TypeError('id must be a string')
    return { id, result: toResult(await detector.detect(readInput(line as Record<string, unknown>)), include) }
  } catch (error) {
    const failure = toFailure(error)
    const told = error instanceof SyntaxError ? { error: `the line is no JSON: ${error.message}` } : {}
    return { ...(typeof id === 'string' ? { id } : { line: number }), ...failure, ...told }
  }
}

function readInput({ url, status, headers, html }: Record<string, unknown>): PageInput {
  if (!isNothing(url) && typeof url !== 'string') throw new TypeError('url must be a string or null')
  if (!isNothing(status) && !(Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999))
    throw new TypeError('status must be a status code or null')
  if (!isNothing(headers) && !isPairs(headers)) throw new TypeError('headers must be a list of [name, value] or null')
  if (!isNothing(html) && typeof html !== 'string') throw new TypeError('html must be a string or null')
  return { url, status, headers, html } as PageInput
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined
}

function isPairs(headers: unknown): boolean {
  return (
    Array.isArray(headers) &&
    headers.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'string'))
  )
}
