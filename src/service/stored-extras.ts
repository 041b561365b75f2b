import type { Extras, SystemPart } from '../scan/extra-schemas.ts'
import type { LiveExtra } from '../scan/extras.ts'

/** The extras of a scan and, if several pages were asked for, those that were read. */
export type StoredExtras = Extras & { readonly parts?: readonly SystemPart[] }

/**
 * Formats all extras of a scan as a JSON object with one line for each, so that a response can contain some of them without parsing
 * the others: the evidence alone can have 100 KB.
 */
export function formatExtras(extras: StoredExtras): string {
  const lines = Object.entries(extras).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}`
}

/**
 * Reads extras as members of a JSON object, each with a comma before it. Texts of pages cannot be mistaken for the beginning of a
 * line, because JSON escapes line breaks.
 * @param stored as `formatExtras` wrote it
 */
export function readExtras(stored: string | undefined, wanted: readonly (LiveExtra | 'parts')[]): string {
  if (stored === undefined) return ''
  return wanted.map((key) => readLine(stored, `\n"${key}":`)).join('')
}

/** Counts the pages that a scan has read. @param stored as `formatExtras` wrote it */
export function countPages(stored: string | undefined): number {
  const line = readExtras(stored, ['parts'])
  return line === '' ? 1 : (JSON.parse(`{${line.slice(1)}}`) as Required<Pick<StoredExtras, 'parts'>>).parts.length
}

function readLine(stored: string, beginning: string): string {
  const from = stored.indexOf(beginning)
  if (from < 0) return ''
  const to = stored.indexOf('\n', from + 1)
  const line = stored.slice(from + 1, to)
  return `,${line.endsWith(',') ? line.slice(0, -1) : line}`
}
