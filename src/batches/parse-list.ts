import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Options, parse as parseStream } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { buildInvalidRequest } from '../errors.ts'
import { listUrls } from '../fetch/list-urls.ts'
import type { BatchUrl } from '../store/batch-types.ts'
import { formatAside } from '../yaml/hint.ts'

/** Maximum size of a list in bytes. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024
/** A longer entry cannot be a URL. Shorter ones are kept, and fail as a scan of them does. */
const MAX_ENTRY_CHARACTERS = 8192
/** Maximum size of a row of CSV in bytes. A quote that is not closed ends the parsing here, not after the whole list. */
const MAX_ROW_BYTES = 256 * 1024
/** A longer header is not read. */
const MAX_HEADER_CHARACTERS = 64 * 1024
/** Bytes of CSV that are parsed without a pause: other requests are served after each. */
const PARSED_BYTES = 64 * 1024
const DELIMITERS = [',', ';', '\t', '|'] as const
/** The first line, in which Excel names the delimiter. */
const SEP_LINE = /^"?sep=([^\r\n"])"?\r?\n/i

/** Kinds of lists, by the media type of a request: JSON is parsed elsewhere. */
export type ListKind = 'text' | 'ndjson' | 'csv'

/** How a list is read. */
export interface ListFormat {
  readonly kind: ListKind
  /** The column with the URLs; only for CSV. */
  readonly column?: string | undefined
}

/**
 * Reads the URLs of a list in UTF-8, or in UTF-16 with a byte order mark.
 * @throws ApiError `invalid_request` naming the line
 */
export async function parseList(bytes: Uint8Array, { kind, column }: ListFormat): Promise<string[]> {
  const text = decode(bytes)
  if (kind === 'csv') return await parseCsv(text, column)
  const lines = text.split(/\r\n|\n|\r/)
  if (kind === 'ndjson') return lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1)]))
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  let text: string
  try {
    text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    throw buildInvalidRequest('The list is not in UTF-8. Save it again as UTF-8.')
  }
  // UTF-16 without a byte order mark is valid UTF-8.
  if (text.includes('\0')) throw buildInvalidRequest('The list contains NUL characters. Save it again as UTF-8.')
  return text
}

/** Reads a line of NDJSON: a text, or an object with `url`. */
function parseLine(line: string, number: number): string {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw buildInvalidRequest(`Line ${number} of the list is not valid JSON.`)
  }
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : value
  if (typeof url === 'string') return url
  throw buildInvalidRequest(`Line ${number} of the list must be a text, or an object with the text "url".`)
}

const FORMAT: Options = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: MAX_ROW_BYTES,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
}

/**
 * Reads the names of the columns of a list that is CSV.
 * @throws ApiError `invalid_request` for bytes that are no text
 */
export function listColumns(bytes: Uint8Array): readonly string[] {
  return openTable(decode(bytes), undefined).names
}

/** Finds the delimiter of a table: the one with which the header has the wanted column, or the most columns. */
function openTable(text: string, wanted: string | undefined) {
  const sep = SEP_LINE.exec(text)
  const table = text.slice(sep?.[0].length ?? 0)
  const head = table.slice(0, MAX_HEADER_CHARACTERS)
  const delimiters = sep === null ? DELIMITERS : [sep[1]]
  const headers = delimiters.map((delimiter) => ({ delimiter, names: parseHeader(head, delimiter) }))
  const widest = headers.reduce((a, b) => (b.names.length > a.names.length ? b : a))
  const best = headers.find(({ names }) => wanted !== undefined && findColumns(names, wanted).length > 0) ?? widest
  return { ...best, table }
}

async function parseCsv(text: string, wanted: string | undefined): Promise<string[]> {
  const { names, table, delimiter } = openTable(text, wanted)
  return await parseColumn(table, delimiter, requireColumn(names, wanted))
}

function parseHeader(head: string, delimiter: string): string[] {
  try {
    const [names = []] = parse(head, { ...FORMAT, delimiter, to: 1 }) as string[][]
    return names.map((name) => name.trim())
  } catch {
    return []
  }
}

/** Reads the texts of a column below its header, in pieces, so that a large table does not block the event loop. */
async function parseColumn(table: string, delimiter: string, at: number): Promise<string[]> {
  const found: string[] = []
  const collect = (cells: string[]): null => {
    const cell = (cells[at] ?? '').trim()
    if (cell !== '') found.push(cell)
    return null
  }
  const parser = parseStream({ ...FORMAT, delimiter, from: 2, on_record: collect })
  try {
    await pipeline(cut(Buffer.from(table)), parser.resume())
  } catch (error) {
    throw explainCsvError(error)
  }
  return found
}

async function* cut(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += PARSED_BYTES) {
    yield bytes.subarray(start, start + PARSED_BYTES)
    await nextTurn()
  }
}

function explainCsvError(error: unknown): Error {
  const { code, lines } = error as { readonly code?: string; readonly lines?: number }
  const place = lines === undefined ? '' : ` near line ${lines}`
  if (code === 'CSV_MAX_RECORD_SIZE')
    return buildInvalidRequest(
      `A row of the list is longer than ${MAX_ROW_BYTES / 1024} KiB${place}. Check that each quote is closed.`,
    )
  return buildInvalidRequest(`The list is not valid CSV${place}. Check the quotes.`)
}

function findColumns(names: readonly string[], wanted: string): number[] {
  const find = (isSame: (name: string) => boolean): number[] => names.flatMap((name, at) => (isSame(name) ? [at] : []))
  const equal = find((name) => name === wanted.trim())
  return equal.length > 0 ? equal : find((name) => name.toLowerCase() === wanted.trim().toLowerCase())
}

function requireColumn(names: readonly string[], wanted: string | undefined): number {
  const shown = names
    .filter((name) => name !== '')
    .slice(0, 20)
    .map((name) => JSON.stringify(name.slice(0, 40)))
  const list = shown.length === 0 ? 'It has no header' : `Its columns are ${shown.join(', ')}`
  if (wanted === undefined)
    throw buildInvalidRequest(`Name the column with the URLs as "column" in the query. ${list}.`)
  const found = findColumns(names, wanted)
  if (found.length === 1) return found[0]
  const quoted = JSON.stringify(wanted.slice(0, 40))
  if (found.length > 1) throw buildInvalidRequest(`The list has ${found.length} columns ${quoted}. Rename one of them.`)
  throw buildInvalidRequest(`The list has no column ${quoted}${formatAside(wanted, [...names])}. ${list}.`)
}

/**
 * Numbers the URLs of a list, and orders them so that the hosts take turns.
 * @throws ApiError `invalid_request` for an entry that is too long
 */
export function buildUrls(entries: readonly string[]): BatchUrl[] {
  const turns = new Map<string, number>()
  return entries.map((url, position) => {
    if (url.length > MAX_ENTRY_CHARACTERS)
      throw buildInvalidRequest(`Entry ${position + 1} of the list is longer than ${MAX_ENTRY_CHARACTERS} characters.`)
    const host = readHost(url)
    const turn = turns.get(host) ?? 0
    turns.set(host, turn + 1)
    return { position, url, turn }
  })
}

/** The host of an entry; an empty text if it is not a URL. */
export function readHost(text: string): string {
  const [url] = listUrls(text)
  try {
    return new URL(url.trim()).hostname
  } catch {
    return ''
  }
}
