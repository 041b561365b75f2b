import { type ListKind, listColumns, parseList, readHost } from '../../batches/parse-list.ts'
import { ApiError } from '../../errors.ts'
import type { FieldErrors } from '../form-errors.ts'
import type { Upload } from './read-upload.ts'

/** Columns that are taken if no other one is named, in this order. */
const USUAL_COLUMNS = ['url', 'website', 'domain']

/** Ending of the name of a file → what it contains. Other files have one URL per line. */
const KINDS: Readonly<Record<string, ListKind>> = {
  csv: 'csv',
  tsv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
}

/** The URLs of a form, or what is wrong with it. `source` is the field that the list comes from. */
export type ReadList =
  | { readonly entries: readonly string[]; readonly source: Source }
  | { readonly errors: FieldErrors; readonly source: Source }

type Source = 'file' | 'urls'

/** Reads the URLs of a form: from its file or its text, as CSV if a column is named or the name of the file says so. */
export async function readList({ form, file }: Upload): Promise<ReadList> {
  const pasted = form.secret('urls')
  const source = file === null ? 'urls' : 'file'
  if (file !== null && pasted.trim() !== '')
    return { errors: { urls: 'Choose a file, or paste a list, but not both.' }, source }
  const bytes = file?.bytes ?? Buffer.from(pasted)
  const [, ending = ''] = /\.([^.]+)$/.exec(file?.name.toLowerCase() ?? '') ?? []
  const column = form.text('column')
  const kind = column === '' ? (Object.hasOwn(KINDS, ending) ? KINDS[ending] : 'text') : 'csv'
  if (bytes.toString('latin1').trim() === '')
    return { errors: { [source]: file === null ? 'Choose a file, or paste a list.' : 'The file is empty.' }, source }
  try {
    return kind === 'csv'
      ? await readTable(bytes, column, source)
      : { entries: await parseList(bytes, { kind }), source }
  } catch (error) {
    return { errors: { [source]: toMessage(error) }, source }
  }
}

async function readTable(bytes: Buffer, wanted: string, source: Source): Promise<ReadList> {
  const names = listColumns(bytes)
  const column = wanted || findColumn(names)
  try {
    if (column === undefined && isHeaderless(names))
      return { entries: await parseList(bytes, { kind: 'text' }), source }
    if (column !== undefined) return { entries: await parseList(bytes, { kind: 'csv', column }), source }
  } catch (error) {
    const isColumn = !names.some((name) => name.toLowerCase() === column?.toLowerCase())
    return { errors: { [isColumn ? 'column' : source]: toMessage(error) }, source }
  }
  const shown = names.filter((name) => name !== '').slice(0, 20)
  const list = shown.length === 0 ? '' : ` Its columns are ${shown.map((name) => `"${name.slice(0, 40)}"`).join(', ')}.`
  return { errors: { column: `Name the column with the URLs, and choose the file again.${list}` }, source }
}

/** The column that is taken without a name: a usual one, or the only one. */
function findColumn(names: readonly string[]): string | undefined {
  const usual = USUAL_COLUMNS.find((one) => names.some((name) => name.toLowerCase() === one))
  return usual ?? (names.length === 1 && !isHeaderless(names) ? names[0] : undefined)
}

/** Whether a table is a plain list without a header: its first line is a URL or a domain. */
function isHeaderless(names: readonly string[]): boolean {
  return names.length === 1 && readHost(names[0]).includes('.')
}

/** The sentence of an error that the person can correct. @throws any other error */
function toMessage(error: unknown): string {
  if (error instanceof ApiError && error.code === 'invalid_request') return error.message
  throw error
}
