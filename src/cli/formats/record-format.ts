import type { Column, ColumnValue } from './columns.ts'
import { formatRawRow, formatRow, parseRow, unmarkFormula } from './csv.ts'
import { buildLine, type ScanRecord } from './scan-record.ts'

/** The content of an output line about one site. */
export interface WrittenLine {
  readonly url: string
  readonly isFailure: boolean
  /** Whether a wall came back instead of the site; false if the line does not tell. */
  readonly isWall: boolean
  /** Whether the line lists technologies; false if that is unknown. */
  readonly hasTechnologies: boolean
}

/** The format of the lines of an output. */
export interface RecordFormat {
  readonly isCsv: boolean
  /** The first line with its end; empty for JSON lines. */
  readonly header: string
  format(record: ScanRecord): string
  /** Reads a line of a live scan without its end; null if this format did not write it. */
  read(text: string): WrittenLine | null
}

/** A column of the input that is carried through. */
export interface CarriedColumn {
  /** Its name in JSON lines. */
  readonly name: string
  /** Its name in CSV, which must differ from our own columns. */
  readonly csvName: string
}

/** Whether the name of a file ends in `.csv`. */
export const isCsvName = (file: string): boolean => /\.csv$/i.test(file)

/** The state of a page that a wall has replaced. */
const WALL = 'wall'

/** What is read of a result. */
interface ReadResult {
  readonly technologies?: unknown
  readonly page?: { readonly state?: unknown }
}

/** Builds the format of JSON lines. `withMeta` adds `meta` to failures. */
export function buildJsonFormat({ withMeta }: { readonly withMeta: boolean }): RecordFormat {
  return {
    isCsv: false,
    header: '',
    format: (record) => `${JSON.stringify(buildLine(record, withMeta))}\n`,
    read(text) {
      const { url, result } = parseObject(text) as { url?: unknown; result?: ReadResult }
      if (typeof url !== 'string') return null
      const names = result?.technologies
      const hasTechnologies = Array.isArray(names) && names.length > 0
      return { url, isFailure: result === undefined, isWall: result?.page?.state === WALL, hasTechnologies }
    },
  }
}

/** The columns of the input that follow those of CSV. */
export interface CarriedColumns {
  readonly carried: readonly CarriedColumn[]
  /** Whether values that look like a formula stay as they are, instead of being marked as text. */
  readonly isRaw: boolean
}

/** Builds the format of CSV: the columns, then those of the input. */
export function buildCsvFormat(
  columns: readonly Column[],
  { carried = [], isRaw = false }: Partial<CarriedColumns> = {},
): RecordFormat {
  const names = [...columns.map(({ name }) => name), ...carried.map(({ csvName }) => csvName)]
  const [url, code, technologies, state] = ['url', 'code', 'technologies', 'pageState'].map((name) =>
    columns.findIndex((column) => column.name === name),
  )
  const format = (cells: readonly ColumnValue[], input: readonly string[]): string =>
    isRaw ? formatRawRow(cells, input) : formatRow([...cells, ...input])
  const header = format(
    columns.map(({ name }) => name),
    carried.map(({ csvName }) => csvName),
  )
  return {
    isCsv: true,
    header,
    format: (record) =>
      format(
        columns.map(({ read }) => read(record)),
        carried.map(({ name }) => record.input?.[name] ?? ''),
      ),
    read(text) {
      const cells = parseRow(text)
      if (cells?.length !== names.length) return null
      const isFilled = (column: number): boolean => column >= 0 && cells[column] !== ''
      const isWall = state >= 0 && cells[state] === WALL
      return {
        url: unmarkFormula(cells[url]),
        isFailure: isFilled(code),
        isWall,
        hasTechnologies: isFilled(technologies),
      }
    },
  }
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
