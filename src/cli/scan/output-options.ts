import { extname } from 'node:path'
import { formatAside } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'
import { type Column, type InputKind, listColumns } from '../formats/columns.ts'
import {
  buildCsvFormat,
  buildJsonFormat,
  type CarriedColumns,
  isCsvName,
  type RecordFormat,
} from '../formats/record-format.ts'

/** Values of the options that describe outputs. */
export interface OutputValues {
  readonly out?: string | undefined
  readonly 'technologies-out'?: string | undefined
  readonly columns?: string | undefined
  readonly include?: string | undefined
}

/** Endings of the names of outputs, each of which selects a format. */
const ENDINGS = ['.jsonl', '.ndjson', '.csv']

/**
 * Checks the options of outputs, before anything is read.
 * @throws UsageError
 */
export function checkOutputs(values: OutputValues, kind: InputKind): void {
  const { out, columns } = values
  for (const option of ['out', 'technologies-out'] as const) checkEnding(option, values[option])
  const isCsv = out !== undefined && isCsvName(out)
  if (isCsv && values.include !== undefined)
    throw new UsageError(
      '--include cannot be used with CSV: select columns with --columns, or use a name for --out that ends in .jsonl',
    )
  if (columns !== undefined && !isCsv)
    throw new UsageError(
      '--columns selects the columns of CSV: use a name for --out that ends in .csv, or use --include for JSON lines',
    )
  readColumns(columns, kind)
}

/** The ending of the output's name selects its format, so an unknown one is an error. */
function checkEnding(option: string, file: string | undefined): void {
  if (file === undefined || ENDINGS.includes(extname(file).toLowerCase())) return
  if (/\.gz$/i.test(file)) throw new UsageError(`--${option} is not compressed: its name must not end in .gz`)
  throw new UsageError(`--${option} "${file}": its ending selects the format; use ${ENDINGS.join(' or ')}`)
}

/** The columns of CSV by which each option finds the sites to scan again. */
const RETRY_COLUMNS = { 'retry-failed': ['code'], 'retry-walls': ['code', 'pageState'] } as const

/**
 * Checks that a CSV file has the columns by which sites that are scanned again are found.
 * @throws UsageError that names the first missing one
 */
export function checkRetry(option: keyof typeof RETRY_COLUMNS, { columns, out = '' }: OutputValues): void {
  const names = new Set(readColumns(columns, 'live').map(({ name }) => name))
  const missing = RETRY_COLUMNS[option].find((name) => !names.has(name))
  // Without --columns, JSON lines have everything.
  if (missing !== undefined && (columns !== undefined || isCsvName(out)))
    throw new UsageError(`--${option} needs the column ${missing}: add it to --columns`)
}

/** Builds the format of `--out`. @param withMeta whether failures in JSON lines have `meta` */
export function buildOutputFormat(
  { out = '', columns }: OutputValues,
  kind: InputKind,
  { withMeta, ...carriedColumns }: Partial<CarriedColumns> & { readonly withMeta: boolean },
): RecordFormat {
  return isCsvName(out) ? buildCsvFormat(readColumns(columns, kind), carriedColumns) : buildJsonFormat({ withMeta })
}

/**
 * Reads the value of `--columns`. The column that names the item, `url` or `id`, is added as the first one if it is missing.
 * @throws UsageError naming a column that does not exist or is named twice
 */
export function readColumns(given: string | undefined, kind: InputKind): readonly Column[] {
  const known = listColumns(kind)
  if (given === undefined) return known.filter(({ isDefault }) => isDefault)
  const wanted = given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  const [{ name: first }] = known
  if (!wanted.includes(first)) wanted.unshift(first)
  return wanted.map((name, at) => {
    const column = known.find((one) => one.name === name)
    if (wanted.indexOf(name) < at) throw new UsageError(`--columns names "${name}" twice: name it once`)
    if (column !== undefined) return column
    const all = known.map((one) => one.name)
    throw new UsageError(`--columns: there is no column "${name}"${formatAside(name, all)}; use ${all.join(', ')}`)
  })
}
