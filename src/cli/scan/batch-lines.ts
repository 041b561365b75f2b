import { stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { SetupError } from '../../errors.ts'
import type { PageInput } from '../../index.ts'
import { openUnzipped } from '../formats/gzip-members.ts'
import { type Line, readLines } from '../formats/lines.ts'
import { BrokenDataError } from '../formats/seek.ts'
import { isSiteText } from './site-list.ts'

/** Upper bound of the length of a line: a page of at most 4 MiB, JSON-escaped, and its headers. */
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Reads the lines of a JSONL file that are not empty, and the bytes of the file that have been read so far. */
export async function* readBatchLines(
  file: string,
): AsyncGenerator<{ readonly line: Line; readonly bytesRead: number }> {
  const { raw, bytes, isGzip } = openUnzipped(file)
  for await (const line of readLines(isGzip ? unzip(file, { raw, bytes }) : bytes, MAX_LINE_BYTES))
    if (line.text?.trim() !== '') yield { line, bytesRead: raw.bytesRead }
}

async function* unzip(
  input: string,
  { raw, bytes }: Pick<ReturnType<typeof openUnzipped>, 'raw' | 'bytes'>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
    if (raw.bytesRead === 0) throw new BrokenDataError('the file is empty')
  } catch (error) {
    throw error instanceof BrokenDataError ? new SetupError(`${input} cannot be unzipped: ${error.message}`) : error
  }
}

/**
 * Finds out whether a file is a list of URLs instead of pages, by its first line. Pipes are not looked into, because they can be read
 * only once.
 */
export async function isUrlList(file: string): Promise<boolean> {
  if (!(await stat(file)).isFile()) return false
  try {
    for await (const { line } of readBatchLines(file))
      if (!line.text?.startsWith('#')) return isSiteText((line.text ?? '').trim())
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
  }
  return false
}

/** Formats an error of a line. */
export function formatProblem(error: unknown): string {
  const { message } = error as Error
  return error instanceof SyntaxError ? `the line is not valid JSON: ${message}` : message
}

/** @throws TypeError or SyntaxError for a line that is not a JSON object */
export function parseLine({ text, isUtf8 }: Pick<Line, 'text' | 'isUtf8'>): Readonly<Record<string, unknown>> {
  if (text === null) throw new TypeError(`the line is longer than ${MAX_LINE_BYTES} bytes`)
  if (!isUtf8) throw new TypeError('the line is not valid UTF-8: write it in UTF-8')
  const line: unknown = JSON.parse(text)
  if (typeof line !== 'object' || line === null || Array.isArray(line))
    throw new TypeError('the line must be a JSON object')
  return line as Readonly<Record<string, unknown>>
}

/** @throws TypeError naming the invalid field */
export function readPageLine(line: Readonly<Record<string, unknown>>): {
  readonly id: string
  readonly input: PageInput
} {
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
  const { url, status, headers, html, ip, scripts, styles } = line
  if (!isAbsent(url) && typeof url !== 'string') throw new TypeError('url must be a string or null')
  if (!isAbsent(status) && !(Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 999))
    throw new TypeError('status must be an HTTP status code or null')
  if (!isAbsent(headers) && !isPairs(headers)) throw new TypeError('headers must be a list of [name, value] or null')
  if (!isAbsent(html) && typeof html !== 'string') throw new TypeError('html must be a string or null')
  if (!isAbsent(ip) && !(typeof ip === 'string' && isIP(ip) !== 0)) throw new TypeError('ip must be an address or null')
  for (const [key, bodies] of Object.entries({ scripts, styles }))
    if (!isAbsent(bodies) && !areBodies(bodies)) throw new TypeError(`${key} must be a list of {url, text} or null`)
  const bodies = { scripts: readBodies(scripts), styles: readBodies(styles) }
  return { url, status, headers, html, ...(typeof ip === 'string' && { address: ip }), ...bodies } as PageInput
}

/** Ignores `missing`, which is for callers of the library. */
function readBodies(bodies: unknown): unknown {
  return Array.isArray(bodies) ? bodies.map(({ missing: _, ...body }: { readonly missing?: unknown }) => body) : bodies
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
