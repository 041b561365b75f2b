import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { SetupError } from '../../errors.ts'
import type { ColumnValue } from './columns.ts'
import type { Line } from './lines.ts'

/**
 * Maximum number of lines of one row that is read. Without it, an unclosed quote would turn a whole file into one row.
 */
const MAX_ROW_LINES = 10_000

/** Formats a row. Values that a spreadsheet would interpret as a formula are marked as text. */
export function formatRow(cells: readonly ColumnValue[]): string {
  const texts = cells.map((cell) => (cell === null || cell === undefined ? '' : String(cell)))
  return stringify([texts], { escape_formulas: true })
}

/** Formats a row whose last cells are those of the input file, which stay as they are. */
export function formatRawRow(cells: readonly ColumnValue[], carried: readonly string[]): string {
  return carried.length === 0 ? formatRow(cells) : `${formatRow(cells).slice(0, -1)},${stringify([carried])}`
}

/** Reads a row that `formatRow` wrote; null for any other text. */
export function parseRow(text: string): readonly string[] | null {
  try {
    return (parse(text, { relax_column_count: true }) as string[][])[0] ?? null
  } catch {
    return null
  }
}

/** Removes the mark of a value that looks like a formula. */
export const unmarkFormula = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '')

/**
 * Joins the lines of a CSV file to rows: a row ends at a line end outside of quotes.
 * @throws SetupError for a quote that is never closed
 */
export async function* joinRows(lines: AsyncIterable<Line>, file: string): AsyncGenerator<Line> {
  let parts: Line[] = []
  let quotes = 0
  for await (const line of lines) {
    parts.push(line)
    quotes += line.text?.split('"').length ?? 1
    quotes--
    if (parts.length > MAX_ROW_LINES) throw new SetupError(`${file}:${parts[0].number}: a quote is never closed`)
    if (quotes % 2 !== 0) continue
    yield joinParts(parts, line.isWhole)
    parts = []
    quotes = 0
  }
  if (parts.length > 0) yield joinParts(parts, false)
}

function joinParts(parts: readonly Line[], isWhole: boolean): Line {
  if (parts.length === 1) return { ...parts[0], isWhole }
  const isTooLong = parts.some(({ text }) => text === null)
  return {
    number: parts[0].number,
    text: isTooLong ? null : parts.map(({ text }) => text).join('\n'),
    isUtf8: parts.every(({ isUtf8 }) => isUtf8),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
    isWhole,
  }
}
