type TableCell = string | number | Date | null

/** Formats a table: times in UTC to the minute, a hyphen for a missing value. */
export function formatRows(titles: readonly string[], cells: readonly (readonly TableCell[])[]): string {
  const rows = [titles, ...cells.map((row) => row.map(formatCell))]
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  return rows
    .map((row) => {
      const padded = row.map((cell, column) => cell.padEnd(widths[column]))
      return `${padded.join('  ').trimEnd()}\n`
    })
    .join('')
}

function formatCell(value: TableCell): string {
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace('T', ' ')
  return value === null ? '-' : String(value)
}
