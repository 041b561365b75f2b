import type { CatalogueEntry } from '../../detector/catalogue.ts'
import type { Verdict } from '../../index.ts'
import type { InputKind } from './columns.ts'
import { formatRow, parseRow, unmarkFormula } from './csv.ts'
import { isCsvName } from './record-format.ts'
import type { ScanRecord } from './scan-record.ts'

/** One technology of one page. Absent values are null. */
interface TechnologyRow {
  readonly slug: string | null
  readonly name: string
  readonly category: string | null
  readonly version: string | null
  readonly level: string | null
}

const FIELDS = ['slug', 'name', 'category', 'version', 'level'] as const
/** Kinds of rules that can be technologies; the first one with a name counts. */
const KINDS = ['builder', 'technology', 'hosting'] as const

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

/**
 * Builds the format of a technology table: CSV or JSON lines by the name of the file.
 * @param catalogue the rules, for slugs and categories
 */
export function buildTableFormat(file: string, kind: InputKind, catalogue: readonly CatalogueEntry[]): TableFormat {
  const isCsv = isCsvName(file)
  const listRows = buildRowReader(catalogue)
  const columns = [...KEYS[kind], ...FIELDS]
  return {
    isCsv,
    header: isCsv ? formatRow(columns) : '',
    format({ key, outcome }) {
      if (!('verdict' in outcome)) return ''
      const page: Record<string, string | number | null> = { url: outcome.verdict.url, ...key }
      const rows = listRows(outcome.verdict).map((row) => {
        const cells: typeof page = { ...page, ...row }
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

/** Lists the technologies of a result, in its order. Those that exceed the bound of the evidence have no level. */
function buildRowReader(catalogue: readonly CatalogueEntry[]): (verdict: Verdict) => TechnologyRow[] {
  const byName = new Map<string, CatalogueEntry>()
  const bySlug = new Map<string, CatalogueEntry>()
  for (const kind of KINDS)
    for (const entry of catalogue.filter((one) => one.kind === kind)) {
      bySlug.set(`${kind} ${entry.slug}`, entry)
      if (!byName.has(entry.name)) byName.set(entry.name, entry)
    }
  return ({ technologies, versions, evidence }) =>
    technologies.map((name) => {
      const found = KINDS.flatMap(
        (kind) => evidence.find((one) => one.chosen && one.kind === kind && one.name === name) ?? [],
      )[0]
      const rule = found === undefined ? byName.get(name) : bySlug.get(`${found.kind} ${found.slug}`)
      const version = Object.hasOwn(versions, name) ? versions[name] : null
      return { slug: rule?.slug ?? null, name, category: rule?.category ?? null, version, level: found?.level ?? null }
    })
}
