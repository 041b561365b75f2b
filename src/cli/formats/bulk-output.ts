import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, truncate } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { SetupError } from '../../errors.ts'
import { COLUMN_NAMES } from './columns.ts'
import { joinRows, parseRow } from './csv.ts'
import { type Line, readLines } from './lines.ts'
import type { RecordFormat, WrittenLine } from './record-format.ts'
import { openFile, openWriter, RecordWriter } from './record-writer.ts'
import type { ScanRecord } from './scan-record.ts'
import type { TableFormat } from './technology-table.ts'

const MAX_LINE_BYTES = 64 * 1024 * 1024

/** Output of a bulk run: a file or stdout, optionally with a table of technologies. */
export interface BulkOutput {
  /** URLs that the file already contains. */
  readonly done: ReadonlySet<string>
  /** Writes a whole line with one call. */
  write(record: ScanRecord): Promise<void>
  close(): Promise<void>
}

/**
 * How an existing output file is treated. `retry-failed` continues it without the sites that failed, and `retry-walls` without those
 * of which a wall came back, too.
 */
export type Continuation = 'overwrite' | 'resume' | 'retry-failed' | 'retry-walls'

/** Files of a bulk run and their formats. */
export interface BulkFiles {
  /** stdout when absent. */
  readonly out: string | undefined
  /** Table of technologies. */
  readonly table: string | undefined
}

/** Formats of the two files. */
export interface BulkFormats {
  readonly output: RecordFormat
  readonly table: TableFormat | null
}

/**
 * Opens the output. The rows of a site in the table precede its line in the output, so that both can be continued after a run
 * that was killed: a site without a line is scanned again, and its rows are removed.
 * @throws SetupError when a file that should be continued was not written by such a run; it is not changed
 */
export async function openBulkOutput(
  files: BulkFiles,
  formats: BulkFormats,
  { continuation, stdout }: { readonly continuation: Continuation; readonly stdout: Writable },
): Promise<BulkOutput> {
  const { out, table } = files
  const isContinued = out !== undefined && continuation !== 'overwrite' && existsSync(out)
  const state = isContinued ? await readState(out, formats.output, continuation) : EMPTY
  if (isContinued && table !== undefined && formats.table !== null && state.done.size > 0)
    await continueTable({ out, table, format: formats.table }, state)
  if (isContinued) await truncate(out, state.bytes)
  const done = new Set(state.done)
  if (isContinued && state.again.size > 0) {
    await removeLines(out, formats.output, (line) => isAgain(line, continuation))
    for (const url of state.again) done.delete(url)
  }
  // Without a site, both files are new: the previous run may have been killed before it opened the second one.
  const isNew = state.done.size === 0
  const writer = isNew ? await openWriter(files, formats, stdout) : await appendTo(files, formats)
  return { done, write: (record) => writer.write(record), close: () => writer.close() }
}

async function appendTo({ out = '', table }: BulkFiles, formats: BulkFormats): Promise<RecordWriter> {
  const output = { sink: await openFile(out, 'a'), format: formats.output }
  if (table === undefined || formats.table === null) return new RecordWriter({ output, table: null })
  const isNew = !existsSync(table)
  const sink = await openFile(table, 'a')
  if (isNew) await sink.write(formats.table.header)
  return new RecordWriter({ output, table: { sink, format: formats.table } })
}

/** The content of an existing output. */
interface OutputState {
  /** URLs of all whole lines. */
  readonly done: ReadonlySet<string>
  readonly failed: ReadonlySet<string>
  /** URLs that are scanned again. */
  readonly again: ReadonlySet<string>
  /** URLs with technologies. */
  readonly listed: ReadonlySet<string>
  /** Bytes of the whole lines. Half a line, left by an interrupted run, follows them. */
  readonly bytes: number
}

const EMPTY: OutputState = { done: new Set(), failed: new Set(), again: new Set(), listed: new Set(), bytes: 0 }

/** Whether the site of a line is scanned again. */
function isAgain({ isFailure, isWall }: WrittenLine, continuation: Continuation): boolean {
  if (continuation === 'retry-walls') return isFailure || isWall
  return continuation === 'retry-failed' && isFailure
}

function readRows(file: string, { isCsv }: { readonly isCsv: boolean }): AsyncGenerator<Line> {
  const lines = readLines(createReadStream(file), MAX_LINE_BYTES)
  return isCsv ? joinRows(lines, file) : lines
}

/** @throws SetupError when the file was not written by a bulk run with these columns */
async function readState(file: string, format: RecordFormat, continuation: Continuation): Promise<OutputState> {
  const done = new Set<string>()
  const [failed, again] = [new Set<string>(), new Set<string>()]
  const listed = new Set<string>()
  let bytes = 0
  for await (const row of readRows(file, format)) {
    if (row.number === 1) checkFirstLine(file, row, format)
    if (!row.isWhole) break
    bytes += row.bytes
    if (row.text === null || (format.isCsv && row.number === 1)) continue
    const line = format.read(row.text)
    if (line === null) continue
    done.add(line.url)
    if (line.isFailure) failed.add(line.url)
    else failed.delete(line.url)
    if (isAgain(line, continuation)) again.add(line.url)
    else again.delete(line.url)
    if (line.hasTechnologies) listed.add(line.url)
  }
  return { done, failed, again, listed, bytes }
}

/** @throws SetupError when this cannot be the first line of a bulk output, which may be cut off */
function checkFirstLine(file: string, { text, isWhole }: Line, format: RecordFormat): void {
  if (text === null) return
  const begin = format.isCsv ? format.header.trimEnd() : '{"url":'
  const isBegun = begin.startsWith(text) || (!format.isCsv && text.startsWith(begin))
  const isOwn = isWhole ? (format.isCsv ? text === begin : format.read(text) !== null) : isBegun
  if (isOwn) return
  const names = format.isCsv ? (parseRow(text) ?? []) : []
  if (names.includes('url') && names.some((name) => name !== 'url' && COLUMN_NAMES.includes(name)))
    throw new SetupError(
      `${file} has different columns from this run: ${text}\nUse the --columns and --column of the run that wrote it.`,
    )
  throw new SetupError(`${file} was not written by a scan of many sites: --resume continues only its own files`)
}

/** Removes the lines of sites that are scanned again, and those of another kind. */
async function removeLines(
  file: string,
  format: RecordFormat,
  isRemoved: (line: WrittenLine) => boolean,
): Promise<void> {
  await keepRows(file, format, (text) => {
    const line = format.read(text)
    return line !== null && !isRemoved(line)
  })
}

/** Keeps some rows, and the header of CSV. The file is replaced atomically, so that an interruption loses no result. */
async function keepRows(
  file: string,
  format: { readonly isCsv: boolean },
  isKept: (text: string) => boolean,
): Promise<void> {
  async function* readKept(): AsyncGenerator<string> {
    for await (const { text, number } of readRows(file, format))
      if (text !== null && ((format.isCsv && number === 1) || isKept(text))) yield `${text}\n`
  }
  const replacement = `${file}.part`
  await pipeline(readKept, createWriteStream(replacement))
  await rename(replacement, file)
}

/**
 * Removes the rows after the last site that the output contains: a run that was killed leaves the rows of at most one site. Also
 * removes those of results that are scanned again. This precedes the removal of their lines, so their rows may be missing already.
 * @throws SetupError when the table does not belong to the output; it is not changed
 */
async function continueTable(
  { out, table, format }: { readonly out: string; readonly table: string; readonly format: TableFormat },
  { done, failed, again, listed }: OutputState,
): Promise<void> {
  const advice = `Name the two files of one run, or start again without --resume.`
  if (!existsSync(table)) {
    if (failed.size === done.size) return
    throw new SetupError(`${table} does not exist, but ${out} contains results. ${advice}`)
  }
  const left = new Set([...listed].filter((url) => !again.has(url)))
  let bytes = 0
  let whole = 0
  let foreign: string | null = null
  for await (const row of readRows(table, format)) {
    if (row.number === 1 && format.isCsv && `${row.text}\n` !== format.header)
      throw new SetupError(`${table} was not written by --technologies-out. ${advice}`)
    if (!row.isWhole) break
    bytes += row.bytes
    const url = row.text === null || (row.number === 1 && format.isCsv) ? undefined : format.readUrl(row.text)
    if (url === null || (foreign !== null && url !== foreign))
      throw new SetupError(`${table}:${row.number} belongs to a site that ${out} does not contain. ${advice}`)
    if (url !== undefined && !done.has(url)) foreign = url
    if (foreign === null) whole = bytes
    if (url !== undefined) left.delete(url)
  }
  if (left.size > 0) throw new SetupError(`${table} has no technologies of ${[...left][0]}, but ${out} has. ${advice}`)
  await truncate(table, whole)
  if ([...again].some((url) => listed.has(url)))
    await keepRows(table, format, (text) => !again.has(format.readUrl(text) ?? ''))
}
