import { pipeline, Readable } from 'node:stream'
import { buffer as readBuffer } from 'node:stream/consumers'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { formatAside } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'
import { COLUMN_NAMES } from '../formats/columns.ts'
import type { CarriedColumn } from '../formats/record-format.ts'
import type { ListInput } from './list-input.ts'

/** Maximum number of characters of one row; a spreadsheet has at most 32,767 in a cell. */
const MAX_ROW_CHARACTERS = 16 * 1024 * 1024
/** Bytes at the beginning that are searched for the delimiter. */
const HEAD_BYTES = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|'] as const
/** The first line, in which Excel names the delimiter. */
const SEP_LINE = /^"?sep=([^\r\n"])"?\r?\n/i

/** A row of a CSV file. */
export interface SiteRow {
  /** The cell of the column, trimmed. */
  readonly site: string
  /** The other cells by the names of their columns. */
  readonly input: Readonly<Record<string, string>>
}

/** A CSV file with a column of sites. */
export interface CsvSites {
  /** The other columns, in their order. */
  readonly carried: readonly CarriedColumn[]
  rows(): AsyncGenerator<SiteRow>
}

/**
 * Opens a CSV file with a header: UTF-8 or UTF-16 with byte order mark, any line ends, delimited by comma, semicolon, tab or `|`.
 * @param wanted the name of the column with the sites, in any case if it is unique
 * @throws UsageError naming the columns if the file does not have exactly one of this name
 */
export async function openCsvSites(input: ListInput, wanted: string): Promise<CsvSites> {
  const { headers, start, encoding } = await readHeaders(input)
  const best = headers
    .map((one) => ({ ...one, at: findColumns(one.names, wanted) }))
    .sort((a, b) => Number(b.at.length > 0) - Number(a.at.length > 0) || b.names.length - a.names.length)[0]
  checkColumn(input.name, wanted, best)
  const columns = nameColumns(best.names)
  const at = best.at[0]
  const options = { delimiter: best.delimiter, skip: start, encoding }
  return {
    carried: columns.filter((_, column) => column !== at),
    async *rows() {
      for await (const cells of readCells(input, options, columns.length)) {
        const others = columns.flatMap(({ name }, column) => (column === at ? [] : [[name, cells[column] ?? '']]))
        yield { site: (cells[at] ?? '').trim(), input: Object.fromEntries(others) }
      }
    },
  }
}

/**
 * Lists the columns of a table, as it is read without `--column`.
 * @returns null if the first line is a single entry of a list
 */
export async function findTableColumns(
  input: ListInput,
  isSite: (text: string) => boolean,
): Promise<readonly string[] | null> {
  const { headers, text } = await readHeaders(input)
  const [first = ''] = text.trimStart().split(/[\r\n]/, 1)
  const { names } = headers.reduce((a, b) => (b.names.length > a.names.length ? b : a))
  const shown = listNames(names)
  return shown.length === 0 || first.startsWith('#') || isSite(first.trim()) ? null : shown
}

const listNames = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.trim() !== '').map((name) => JSON.stringify(name.trim()))

/** Finds the columns of a name: those that are equal, or else those that differ in case only. */
function findColumns(names: readonly string[], wanted: string): readonly number[] {
  const find = (isSame: (name: string) => boolean): number[] =>
    names.flatMap((name, at) => (isSame(name.trim()) ? [at] : []))
  const equal = find((name) => name === wanted.trim())
  return equal.length > 0 ? equal : find((name) => name.toLowerCase() === wanted.trim().toLowerCase())
}

/** @throws UsageError if no column or several have the name */
function checkColumn(
  file: string,
  wanted: string,
  { names, error, at }: CsvHeader & { readonly at: readonly number[] },
): void {
  if (at.length === 1) return
  const shown = listNames(names)
  if (error !== undefined) throw new UsageError(`${file} is not valid CSV: ${error}`)
  if (shown.length === 0) throw new UsageError(`--column: ${file} has no header: its first row must name the columns`)
  const list = `its columns are ${shown.join(', ')}`
  if (at.length > 1)
    throw new UsageError(`--column: ${at.length} columns of ${file} have the name "${wanted}": rename one; ${list}`)
  throw new UsageError(`--column: ${file} has no column "${wanted}"${formatAside(wanted, names)}; ${list}`)
}

/**
 * Names the columns of an output: a column without a name gets `column_3`, a repeated name `name_2`. In CSV, a name that one of
 * our own columns has gets `input_` before it. Names are compared without case, because databases do so.
 */
function nameColumns(names: readonly string[]): CarriedColumn[] {
  const makeUnique = (used: Set<string>, name: string): string => {
    for (let number = 1; ; number++) {
      const unique = number === 1 ? name : `${name}_${number}`
      if (used.size < used.add(unique.toLowerCase()).size) return unique
    }
  }
  const used = new Set<string>()
  const usedInCsv = new Set(COLUMN_NAMES.map((name) => name.toLowerCase()))
  return names.map((written, at) => {
    const name = makeUnique(used, written.trim() || `column_${at + 1}`)
    const isTaken = COLUMN_NAMES.some((own) => own.toLowerCase() === name.toLowerCase())
    return { name, csvName: makeUnique(usedInCsv, isTaken ? `input_${name}` : name) }
  })
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** Reads the first row of a file, once for each delimiter that is possible. */
async function readHeaders(input: ListInput): Promise<{
  readonly headers: readonly CsvHeader[]
  readonly text: string
  readonly encoding: Encoding
  /** Number of characters before the table. */
  readonly start: number
}> {
  const { text, encoding } = await readHead(input)
  const sep = SEP_LINE.exec(text)
  const start = sep?.[0].length ?? 0
  const delimiters = sep === null ? DELIMITERS : [sep[1]]
  return { headers: delimiters.map((delimiter) => readHeader(text.slice(start), delimiter)), text, encoding, start }
}

/** Reads the beginning of a file. The byte order mark selects the encoding; without one, it is UTF-8. */
async function readHead(input: ListInput): Promise<{ readonly text: string; readonly encoding: Encoding }> {
  const buffer = await readBuffer(input.read(HEAD_BYTES))
  const mark = buffer.toString('latin1', 0, 2)
  const encoding = mark === '\xff\xfe' ? 'utf-16le' : mark === '\xfe\xff' ? 'utf-16be' : 'utf-8'
  return { text: new TextDecoder(encoding).decode(buffer), encoding }
}

const FORMAT: Options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
  max_record_size: MAX_ROW_CHARACTERS,
}

interface CsvHeader {
  readonly delimiter: string
  /** Empty if the first row cannot be read with this delimiter. */
  readonly names: readonly string[]
  readonly error?: string
}

function readHeader(text: string, delimiter: string): CsvHeader {
  try {
    return { delimiter, names: (parseSync(text, { ...FORMAT, delimiter, to: 1 }) as string[][])[0] ?? [] }
  } catch (error) {
    return { delimiter, names: [], error: (error as Error).message }
  }
}

interface CsvReading {
  readonly delimiter: string
  /** Characters at the beginning that do not belong to the table. */
  readonly skip: number
  readonly encoding: Encoding
}

/** Yields the rows below the header. @throws UsageError naming a line that is damaged or has more cells than the header */
async function* readCells(
  input: ListInput,
  { delimiter, skip, encoding }: CsvReading,
  width: number,
): AsyncGenerator<string[]> {
  const parser = parse({ ...FORMAT, delimiter, from: 2, info: true })
  pipeline(Readable.from(decode(input, encoding, skip)), parser, () => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (record.slice(width).some((cell) => cell.trim() !== ''))
        throw new UsageError(
          `${input.name}: the row that ends in line ${info.lines + (skip > 0 ? 1 : 0)} has ${record.length} cells, but the header has ${width}: put cells that contain the delimiter in quotes`,
        )
      yield record
    }
  } catch (error) {
    throw error instanceof CsvError ? new UsageError(`${input.name} is not valid CSV: ${error.message}`) : error
  } finally {
    parser.destroy()
  }
}

/** Decodes a file. @throws UsageError for bytes that are not in its encoding */
async function* decode(input: ListInput, encoding: Encoding, skip: number): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  let left = skip
  const take = (chunk?: Uint8Array): string => {
    try {
      const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
      const rest = text.slice(left)
      left -= text.length - rest.length
      return rest
    } catch {
      throw new UsageError(`${input.name} is not in UTF-8: save it again as "CSV UTF-8"`)
    }
  }
  for await (const chunk of input.read()) yield take(chunk as Buffer)
  yield take()
}
