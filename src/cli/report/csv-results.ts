import { COLUMN_NAMES, SEPARATOR } from '../formats/columns.ts'
import { parseRow, unmarkFormula } from '../formats/csv.ts'

/** Columns that only results have. A table of technologies, for example, has none of them. */
const RESULT_COLUMNS = ['builder', 'technologies', 'hosting', 'siteType', 'confidence', 'error', 'code'] as const

/** Converts rows of CSV to the fields of the JSON line that `scan` writes about the same site. */
export type RowReader = (text: string) => Readonly<Record<string, unknown>> | null

/**
 * Reads the header of a CSV file.
 * @returns a function that reads a row, which is null for a row that is damaged; null if `scan` did not write the file
 */
export function openRowReader(header: string): RowReader | null {
  const names = parseRow(header.replace(/^\ufeff/, '')) ?? []
  const isNamed = names[0] === 'url' || names[0] === 'id'
  if (!isNamed || !RESULT_COLUMNS.some((name) => names.includes(name))) return null
  return (text) => {
    const cells = parseRow(text)
    if (cells?.length !== names.length) return null
    const own = names.flatMap((name, at): [string, string][] =>
      COLUMN_NAMES.includes(name) && cells[at] !== '' ? [[name, unmarkFormula(cells[at])]] : [],
    )
    return toLine(new Map(own), names[0])
  }
}

/** @param key the column that names the site: `url` of a live site, `id` of a saved page */
function toLine(cells: ReadonlyMap<string, string>, key: string): Readonly<Record<string, unknown>> {
  const name = cells.get(key)
  const named = name === undefined ? {} : { [key]: name }
  const meta = { scannedAt: cells.get('scannedAt'), ruleset: cells.get('ruleset') }
  const [error, code] = [cells.get('error'), cells.get('code')]
  if (error !== undefined || code !== undefined) return { ...named, error: error ?? '', code, meta }
  const technologies = split(cells.get('technologies'))
  const result = {
    ...Object.fromEntries(cells),
    url: cells.get(key === 'url' ? 'finalUrl' : 'url'),
    isAiNative: cells.has('isAiNative') ? cells.get('isAiNative') === 'true' : undefined,
    technologies,
    parts: split(cells.get('parts')).map(describePart),
    page: { state: cells.get('pageState') },
    infrastructure: {
      network: { name: cells.get('network'), asn: cells.get('asn') },
      reverseDns: cells.get('reverseDns'),
      tlsError: cells.get('tlsError'),
    },
    versions: Object.fromEntries(
      split(cells.get('versions')).flatMap((text) => splitVersion(text, technologies) ?? []),
    ),
    details: split(cells.get('ended')).flatMap((text) => describeEnded(text, technologies)),
    meta,
  }
  return { ...named, result }
}

/** A page of a site: its address, and after a space the name of its builder. */
function describePart(text: string): object {
  const end = text.indexOf(' ')
  return end < 0 ? { url: text, builder: null } : { url: text.slice(0, end), builder: text.slice(end + 1) }
}

/** The detail of a technology whose support has ended, as far as the column says it. */
function describeEnded(text: string, technologies: readonly string[]): readonly object[] {
  const named = splitVersion(text, technologies)
  return named === null ? [] : [{ name: named[0][0], version: named[0][1], support: { state: 'ended', certain: true } }]
}

function split(cell: string | undefined): readonly string[] {
  return cell === undefined ? [] : cell.split(SEPARATOR)
}

/** Splits a name from its version. Both may contain spaces, but the name is one of the technologies, if these are known. */
function splitVersion(text: string, technologies: readonly string[]): [[string, string]] | null {
  const known = technologies.filter((name) => text.startsWith(`${name} `)).sort((a, b) => b.length - a.length)
  const end = known[0]?.length ?? text.lastIndexOf(' ')
  return end <= 0 ? null : [[text.slice(0, end), text.slice(end + 1)]]
}
