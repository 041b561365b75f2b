import { MAX_PAGES } from '../../keys/plans.ts'
import { RENDER_MODES, type RenderMode } from '../../scan/render-modes.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { readArgs, UsageError } from '../command/command.ts'
import { isCsvName } from '../formats/record-format.ts'

const text = { type: 'string' } as const
const OPTIONS = {
  html: text,
  url: text,
  headers: text,
  har: text,
  batch: { type: 'string', multiple: true },
  warc: { type: 'string', multiple: true },
  shard: text,
  queue: { type: 'boolean' },
  attach: text,
  urls: text,
  out: text,
  'technologies-out': text,
  columns: text,
  column: text,
  'raw-columns': { type: 'boolean' },
  include: text,
  pages: text,
  'fail-on': text,
  format: text,
  timeout: text,
  concurrency: text,
  skip: text,
  render: text,
  allow: { type: 'string', multiple: true },
  resume: { type: 'boolean' },
  overwrite: { type: 'boolean' },
  json: { type: 'boolean' },
  'retry-failed': { type: 'boolean' },
  'retry-walls': { type: 'boolean' },
} as const
export type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | string[] | boolean>>>

/** What `--format` accepts. */
export const FORMATS = ['json', 'cyclonedx'] as const

/** The options of outputs. */
const FILES = ['out', 'technologies-out', 'columns', 'overwrite'] as const

/** The options that continue an output and scan some of its sites again. The last one includes what the first one does. */
export const RETRIES = ['retry-failed', 'retry-walls'] as const

/** The options that each mode accepts in addition to its input. */
const MODES = {
  html: ['url', 'headers', ...FILES, 'include', 'format', 'fail-on', 'timeout', 'render', 'json'],
  har: [...FILES, 'include', 'format', 'fail-on', 'timeout', 'render', 'json'],
  batch: [...FILES, 'include', 'fail-on', 'timeout', 'shard', 'render'],
  warc: [...FILES, 'include', 'fail-on', 'timeout', 'shard'],
  urls: [
    ...FILES,
    'column',
    'raw-columns',
    'include',
    'pages',
    'render',
    'fail-on',
    'concurrency',
    'resume',
    ...RETRIES,
    'allow',
    'skip',
    'queue',
  ],
  attach: ['out', 'overwrite'],
  live: ['include', 'pages', 'format', 'fail-on', 'allow', 'skip', 'render', 'json'],
} as const satisfies Record<string, readonly (keyof typeof OPTIONS)[]>
export type Mode = keyof typeof MODES

/** Parses the arguments of `scan`. @throws UsageError */
export function readScanArgs(args: readonly string[]) {
  return readArgs({ args, allowPositionals: true, options: OPTIONS })
}

/** The parsed arguments of `scan`. */
export type ScanArgs = ReturnType<typeof readScanArgs>

/** Finds the mode that the options and the positional arguments select. @throws UsageError if they select none or several */
export function findMode(values: Values, positionals: readonly string[]): Mode {
  const named = (['html', 'har', 'batch', 'warc', 'urls', 'attach'] as const).filter(
    (mode) => values[mode] !== undefined,
  )
  if (named.length > 1) throw new UsageError(`--${named[0]} cannot be combined with --${named[1]}: use one of them`)
  if (['html', 'har', 'attach'].includes(named[0]) && positionals.length > 0)
    throw new UsageError(`unexpected argument "${positionals[0]}": --${named[0]} already names the input`)
  if (named.length === 0 && positionals.length === 0)
    throw new UsageError('give a URL, or one of --urls, --html, --har, --batch, --warc')
  const isList = positionals.length > 1 || values.out !== undefined || values['technologies-out'] !== undefined
  return named.at(0) ?? (isList ? 'urls' : 'live')
}

/** Checks that the options fit the mode and each other. @throws UsageError */
export function checkOptions(mode: Mode, values: Values): void {
  for (const key of Object.keys(values))
    if (key !== mode && !(MODES[mode] as readonly string[]).includes(key))
      throw new UsageError(`--${key} cannot be used with ${mode === 'live' ? 'a single URL' : `--${mode}`}`)
  if (values.format !== undefined && (values.out !== undefined || values.include !== undefined))
    throw new UsageError('--format prints one document: it cannot be combined with --out or --include')
  checkContinuation(values)
  if (values.column !== undefined && values.urls === undefined)
    throw new UsageError('--column names a column of a CSV file: name the file with --urls')
  if (values['raw-columns'] && (values.column === undefined || !isCsvName(String(values.out ?? ''))))
    throw new UsageError(
      '--raw-columns is for CSV with the columns of a list: use --column, and a name for --out that ends in .csv',
    )
}

/** Checks the options that say what happens to an existing output. */
function checkContinuation(values: Values): void {
  for (const option of ['resume', ...RETRIES] as const) {
    if (!values[option]) continue
    if (values.out === undefined) throw new UsageError(`--${option} continues an output file: name it with --out`)
    if (values.overwrite) throw new UsageError(`--${option} and --overwrite cannot be combined: choose one`)
  }
  if (values.overwrite && values.out === undefined && values['technologies-out'] === undefined)
    throw new UsageError('--overwrite replaces an output file: name it with --out')
}

/** Reads the number of pages of a site. @throws UsageError */
export function readPages(given = '1'): number {
  if (!/^\d{1,2}$/.test(given) || Number(given) < 1 || Number(given) > MAX_PAGES)
    throw new UsageError(`--pages must be a number from 1 to ${MAX_PAGES}`)
  return Number(given)
}

/** Reads whether a browser runs pages. @throws UsageError */
export function readRenderMode(given: string | undefined): RenderMode {
  return readList('render', given, RENDER_MODES).at(0) ?? 'never'
}

/** Reads a comma-separated list of known words. @throws UsageError for another word */
export function readList<T extends string>(option: string, given: string | undefined, known: readonly T[]): T[] {
  const wanted = (given ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const one of wanted)
    if (!known.includes(one as T))
      throw new UsageError(`--${option} does not accept "${one}"${formatChoice(one, known)}`)
  return wanted as T[]
}
