import type { InputKind } from './columns.ts'
import { formatRow, parseRow, unmarkFormula } from './csv.ts'
import { isCsvName } from './record-format.ts'
import type { ScanRecord } from './scan-record.ts'

const FIELDS = ['slug', 'name', 'category', 'version', 'level'] as const

/** Columns that name the page, before those of the technology. */
const KEYS: Readonly<Record<InputKind, readonly string[]>> = {
  live: ['url'],
  saved: ['id', 'url'],
  warc: ['id', 'recordId', 'url'],
}

/** The format of a long table with one row per page and technology. */
export interface TableFormat {
  readonly isCsv: boolean
  /** The first line with its end; empty for JSON lines. */
  readonly header: string
  /** Formats the rows of a page; empty for a page without technologies and for a failure. */
  format(record: ScanRecord): string
  /** Reads the site of a row of a live scan; null for a line that this format did not write. */
  readUrl(text: string): string | null
}

/** Builds the format of a technology table: CSV or JSON lines by the name of the file. */
export function buildTableFormat(file: string, kind: InputKind): TableFormat {
  const isCsv = isCsvName(file)
  const columns = [...KEYS[kind], ...FIELDS]
  return {
    isCsv,
    header: isCsv ? formatRow(columns) : '',
    format({ key, outcome }) {
      if (!('verdict' in outcome)) return ''
      const page: Record<string, string | number | null> = { url: outcome.verdict.url, ...key }
      const rows = outcome.details.map(({ slug, name, category, version, level }) => {
        const cells: typeof page = { ...page, slug, name, category: category.slug, version, level }
        return columns.map((column) => cells[column] ?? null)
      })
      if (isCsv) return rows.map((row) => formatRow(row)).join('')
      const lines = rows.map((row) => Object.fromEntries(row.map((value, at) => [columns[at], value])))
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    },
    readUrl(text) {
      if (!isCsv) return readUrlOfLine(text, columns)
      const cells = parseRow(text)
      return cells?.length === columns.length ? unmarkFormula(cells[0]) : null
    },
  }
}

/** Reads the site of a JSON line whose fields are the columns. */
function readUrlOfLine(text: string, columns: readonly string[]): string | null {
  try {
    const line = JSON.parse(text) as Readonly<Record<string, unknown>>
    const { url } = line
    return typeof url === 'string' && columns.every((column) => Object.hasOwn(line, column)) ? url : null
  } catch {
    return null
  }
}
