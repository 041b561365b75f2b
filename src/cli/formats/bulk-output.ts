import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { appendFile, rename, truncate, writeFile } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { SetupError } from '../../errors.ts'
import type { LiveResult } from '../../scan/scanner.ts'
import { writeText } from '../command.ts'
import { readLines } from './lines.ts'

/** One line of a bulk run. */
export type BulkLine =
  | { readonly url: string; readonly result: LiveResult }
  | { readonly url: string; readonly error: string; readonly code: string }

const FIELDS =
  'url finalUrl builder builderSlug confidence category isAiNative technologies hosting siteType error code'.split(' ')
const HEADER = stringify([FIELDS])
const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Output of a bulk run: a file of JSONL or CSV, depending on its name, or stdout. */
export interface BulkOutput {
  /** URLs that the file already contains. */
  readonly done: ReadonlySet<string>
  /** Writes a whole line at once. */
  write(line: BulkLine): Promise<void>
}

/** What happens with an output file that exists. `retry-failed` continues it, without the sites that failed. */
export type Continuation = 'overwrite' | 'resume' | 'retry-failed'

/**
 * Opens the output.
 * @throws SetupError when a file that should be continued was not written by a bulk run; it is not changed
 */
export async function openBulkOutput(
  file: string | undefined,
  continuation: Continuation,
  stdout: Writable,
): Promise<BulkOutput> {
  const isCsv = file !== undefined && /\.csv$/i.test(file)
  const format = isCsv ? formatCsv : (line: BulkLine): string => `${JSON.stringify(line)}\n`
  if (file === undefined) return { done: new Set(), write: (line) => writeText(stdout, format(line)) }
  let last: Promise<unknown> = Promise.resolve()
  const write = (line: BulkLine): Promise<void> => {
    const written = last.then(() => appendFile(file, format(line)))
    last = written.catch(() => {})
    return written
  }
  const isContinued = continuation !== 'overwrite' && existsSync(file)
  let state = isContinued ? await readDone(file, isCsv) : { done: new Set<string>(), isEmpty: true }
  if (isContinued && continuation === 'retry-failed') {
    await removeFailed(file, isCsv)
    state = await readDone(file, isCsv)
  }
  const { done, isEmpty } = state
  if (isEmpty) await writeFile(file, isCsv ? HEADER : '')
  return { done, write }
}

/**
 * Reads the URLs that the file contains. Half a line, left by an interrupted run, is removed, so that its URL is scanned again.
 * @throws SetupError when the file was not written by a bulk run; it is not changed
 */
async function readDone(file: string, isCsv: boolean): Promise<{ done: Set<string>; isEmpty: boolean }> {
  const done = new Set<string>()
  let whole = 0
  for await (const { text, bytes, isWhole, number } of readLines(createReadStream(file), MAX_LINE_BYTES)) {
    const isBulkOutput = number > 1 || text === null || isFirstLine(text, { isCsv, isWhole })
    if (!isBulkOutput)
      throw new SetupError(`${file} was not written by a scan of many sites: --resume continues only its own files`)
    if (!isWhole) break
    whole += bytes
    const url = text === null || (isCsv && number === 1) ? undefined : readUrl(text, isCsv)
    if (url !== undefined) done.add(url)
  }
  await truncate(file, whole)
  return { done, isEmpty: whole === 0 }
}

/** Removes the lines of sites that failed. The file is replaced at once, so that an interruption loses no result. */
async function removeFailed(file: string, isCsv: boolean): Promise<void> {
  async function* keepResults(): AsyncGenerator<string> {
    for await (const { text, number } of readLines(createReadStream(file), MAX_LINE_BYTES))
      if (text !== null && ((isCsv && number === 1) || !isFailure(text, isCsv))) yield `${text}\n`
  }
  const replacement = `${file}.part`
  await pipeline(keepResults, createWriteStream(replacement))
  await rename(replacement, file)
}

function isFailure(line: string, isCsv: boolean): boolean {
  try {
    return isCsv ? (parse(line) as string[][])[0]?.at(-1) !== '' : !('result' in (JSON.parse(line) as object))
  } catch {
    return true
  }
}

/** Whether this can be the first line of a bulk output, which may be cut off. */
function isFirstLine(line: string, { isCsv, isWhole }: { isCsv: boolean; isWhole: boolean }): boolean {
  const begin = isCsv ? HEADER.trimEnd() : '{"url":'
  if (!isWhole) return isCsv ? begin.startsWith(line) : begin.startsWith(line) || line.startsWith(begin)
  return isCsv ? line === begin : readUrl(line, false) !== undefined
}

function readUrl(line: string, isCsv: boolean): string | undefined {
  try {
    if (!isCsv) return (JSON.parse(line) as { url?: string }).url
    return (parse(line) as string[][])[0]?.[0].replace(/^'(?=[=+\-@\t\r])/, '')
  } catch {
    return undefined
  }
}

/** Formats a CSV row. Values that a spreadsheet would take for a formula are marked as text. */
function formatCsv(line: BulkLine): string {
  const { url: finalUrl = '', technologies = [], ...rest }: Partial<LiveResult> = 'result' in line ? line.result : {}
  const row: Record<string, unknown> = { ...rest, ...line, finalUrl, technologies: technologies.join('; ') }
  const cells = FIELDS.map((field) => (row[field] === null || row[field] === undefined ? '' : String(row[field])))
  return stringify([cells], { escape_formulas: true })
}
