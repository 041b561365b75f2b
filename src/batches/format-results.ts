import { stringify } from 'csv-stringify/sync'
import type { BatchLine } from '../store/batch-types.ts'

/** Formats of the results of a batch. */
export type ResultFormat = 'ndjson' | 'csv'

/** Formats lines of the results. Parts that are joined are a whole file if only the first one has the header of CSV. */
export function formatResults(
  lines: readonly BatchLine[],
  { format, hasHeader }: { readonly format: ResultFormat; readonly hasHeader: boolean },
): string {
  if (format === 'ndjson') return lines.map(formatLine).join('')
  const header = hasHeader ? [[...CSV_COLUMNS]] : []
  // Cells that a spreadsheet would run as formulas are written as text.
  return stringify([...header, ...lines.map(listCells)], { escape_formulas: true })
}

/** Formats a line of the results as JSON, with a line feed. */
function formatLine(line: BatchLine): string {
  const { position, url } = line
  const start = JSON.stringify({ position, url }).slice(0, -1)
  if ('result' in line) return `${start},"result":${line.result}}\n`
  return `${start},${JSON.stringify({ error: line.error, code: line.code }).slice(1)}\n`
}

/** The columns of results as CSV, in their order; those of the ten fields have the names that the command line uses. */
const CSV_COLUMNS = [
  ...['position', 'url', 'finalUrl', 'builder', 'builderSlug', 'confidence', 'category', 'isAiNative'],
  ...['hosting', 'siteType', 'technologies', 'cached', 'error', 'code'],
] as const

/** The cells of a line of the results as CSV. */
function listCells(line: BatchLine): readonly (string | number | null)[] {
  const result = 'result' in line ? (JSON.parse(line.result) as Record<string, unknown>) : {}
  const failure = 'result' in line ? {} : line
  const all: Readonly<Record<string, unknown>> = {
    ...result,
    ...failure,
    ...{ position: line.position, url: line.url },
  }
  return CSV_COLUMNS.map((name) => toCell(name === 'finalUrl' ? result.url : all[name]))
}

function toCell(value: unknown): string | number | null {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return value.join('; ')
  return typeof value === 'number' ? value : String(value)
}
