import { availableParallelism } from 'node:os'
import { type Config, loadConfig } from '../config/config.ts'
import { openPageMatcher, type PageMatcher } from '../detector/detector.ts'
import { EVIDENCE } from '../fetch/evidence-kinds.ts'
import { MAX_PAGES } from '../keys/plans.ts'
import { openNetworks } from '../networks/open-networks.ts'
import { LIVE_EXTRAS } from '../scan/extras.ts'
import { RENDER_MODES, type RenderMode } from '../scan/render-modes.ts'
import { formatChoice } from '../yaml/hint.ts'
import { checkFiles, checkOverwrite } from './command/check-files.ts'
import { type CommandIo, defineCommand, EXIT, readArgs, readTimeout, UsageError } from './command/command.ts'
import { formatCount } from './command/format-count.ts'
import type { InputKind } from './formats/columns.ts'
import { isCsvName } from './formats/record-format.ts'
import { openWriter, type RecordWriter } from './formats/record-writer.ts'
import { buildTableFormat } from './formats/technology-table.ts'
import { FAIL_ON, reportEnded } from './scan/fail-on.ts'
import { isStandardInput } from './scan/list-input.ts'
import type { LiveOptions } from './scan/live-scan.ts'
import { SAVED_EXTRAS, type SavedExtra } from './scan/match-page.ts'
import { buildOutputFormat, checkOutputs, checkRetry, type OutputValues } from './scan/output-options.ts'
import type { SavedRendering } from './scan/render-saved.ts'
import { SCAN_HELP } from './scan/scan-help.ts'
import { scanSaved } from './scan/scan-saved.ts'
import { parseShard, type Shard } from './scan/shard.ts'

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
type Values = Readonly<Partial<Record<keyof typeof OPTIONS, string | string[] | boolean>>>

/** What `--format` accepts. */
const FORMATS = ['json', 'cyclonedx'] as const

/** The options of outputs. */
const FILES = ['out', 'technologies-out', 'columns', 'overwrite'] as const

/** The options that continue an output and scan some of its sites again. The last one includes what the first one does. */
const RETRIES = ['retry-failed', 'retry-walls'] as const

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
type Mode = keyof typeof MODES

// What reads live sites, lists and archives is imported when it runs: it takes longer to load than one page to scan.
export const main = defineCommand(SCAN_HELP, async (args, io) => {
  const { values, positionals } = readScanArgs(args)
  const mode = findMode(values, positionals)
  checkOptions(mode, values)
  const config = loadConfig(io.env)
  const { batch: _, warc: __, ...single } = values
  const isDocument = readList('format', values.format, FORMATS).includes('cyclonedx')
  // The command of the package is used by people; npm scripts print JSON as they always did.
  const isDescribed =
    io.program !== undefined && io.stdout.isTTY === true && !values.json && !values.include && !isDocument
  const failsOnEnded = readList('fail-on', values['fail-on'], FAIL_ON).length > 0
  if (mode === 'attach' || (mode === 'urls' && single.queue)) return await scanQueued(single, config, io)
  if (mode === 'live' || mode === 'urls')
    return scanLive({ mode, values: single, positionals }, { config, isDescribed, isDocument, failsOnEnded }, io)
  const include = readList('include', values.include, SAVED_EXTRAS)
  const inputs = mode === 'batch' || mode === 'warc' ? [...(values[mode] ?? []), ...positionals] : []
  await checkFiles(single)
  for (const input of inputs) await checkArchive(mode as 'batch' | 'warc', input, single)
  checkOutputs(values, mode === 'warc' ? 'warc' : 'saved')
  await checkOverwrite(single, { canContinue: false })
  const shard = parseShard(single.shard)
  const render = readRenderMode(values.render)
  const live = { config, render, allow: [] }
  const renderer = render === 'never' ? null : await (await import('./scan/live-scan.ts')).startListRenderer(live, io)
  const rendering = renderer === null || render === 'never' ? null : { renderer, mode: render }
  const options = { inputs, shard, include, rendering, isDescribed, isDocument, failsOnEnded }
  try {
    return await scanOffline(mode, { ...single, ...findRuleOptions(config), ...options }, io)
  } finally {
    await renderer?.close()
  }
})

/** The arguments of a command that scans live sites. */
interface LiveArgs {
  readonly mode: 'live' | 'urls'
  readonly values: Omit<ReturnType<typeof readScanArgs>['values'], 'batch' | 'warc'>
  readonly positionals: readonly string[]
}

/** Scans one live site, or a list of them. */
async function scanLive(
  { mode, values, positionals }: LiveArgs,
  options: Pick<LiveOptions, 'config' | 'isDescribed' | 'isDocument' | 'failsOnEnded'>,
  io: CommandIo,
): Promise<number> {
  const allow = values.allow ?? []
  const skip = readList('skip', values.skip, EVIDENCE)
  const render = readRenderMode(values.render)
  const include = readList('include', values.include, LIVE_EXTRAS)
  const live = { ...options, allow, skip, render, include, pages: readPages(values.pages) }
  if (mode === 'live') return (await import('./scan/live-scan.ts')).scanOne(positionals[0], live, io)
  const { concurrency = '8', resume = false, 'technologies-out': table } = values
  const retry = RETRIES.findLast((option) => values[option])
  if (!/^[1-9]\d{0,2}$/.test(concurrency)) throw new UsageError('--concurrency must be a number from 1 to 999')
  const { urls, column, columns, out } = values
  await checkFiles({ ...values, urls: urls !== undefined && isStandardInput(urls) ? undefined : urls })
  checkOutputs(values, 'live')
  if (retry) checkRetry(retry, values)
  if (!retry && !resume) await checkOverwrite(values, { canContinue: true })
  const continuation = retry ?? (resume ? 'resume' : 'overwrite')
  const list = { positionals, urls, column, isRaw: values['raw-columns'] ?? false }
  const { scanBulk } = await import('./scan/scan-bulk.ts')
  return scanBulk({ ...live, ...list, columns, out, table, continuation, concurrency: Number(concurrency) }, io)
}

function readScanArgs(args: readonly string[]) {
  return readArgs({ args, allowPositionals: true, options: OPTIONS })
}

/** @throws UsageError for an archive that cannot be read, that an output would overwrite, or that is a list of URLs */
async function checkArchive(
  mode: 'batch' | 'warc',
  input: string,
  { out, 'technologies-out': table }: Readonly<Partial<Record<'out' | 'technologies-out', string>>>,
): Promise<void> {
  await checkFiles({ out, 'technologies-out': table, [mode]: input })
  const isList = mode === 'batch' && (await (await import('./scan/batch-lines.ts')).isUrlList(input))
  if (isList) throw new UsageError(`--batch: ${input} looks like a list of URLs: use --urls`)
}

function findRuleOptions({ ruleFolders, detectorModules, cacheDir, networksFile }: Config) {
  return { folders: ruleFolders, detectors: detectorModules, cache: cacheDir, networksFile }
}

interface OfflineOptions
  extends Readonly<Partial<Record<'html' | 'har' | 'url' | 'headers', string>>>,
    Omit<OutputValues, 'include'> {
  /** The files of `--batch` or `--warc`. */
  readonly inputs: readonly string[]
  readonly shard: Shard | null
  readonly timeout?: string
  readonly include: readonly SavedExtra[]
  readonly rendering: SavedRendering | null
  readonly folders: readonly string[]
  readonly detectors: readonly string[]
  readonly cache: string
  readonly networksFile: string | null
  readonly isDescribed: boolean
  readonly isDocument: boolean
  readonly failsOnEnded: boolean
}

/** Lets a service scan a list, or follows a batch of it. @returns the exit code */
async function scanQueued(values: Omit<Values, 'batch' | 'warc'>, config: Config, io: CommandIo): Promise<number> {
  const { attach, urls, column, out } = values as Readonly<Partial<Record<string, string>>>
  const unusable = QUEUE_UNUSABLE.find((option) => values[option] !== undefined)
  if (unusable !== undefined) throw new UsageError(`--${unusable} cannot be used with --queue`)
  if (attach === undefined && urls === undefined) throw new UsageError('--queue needs a list: name it with --urls')
  const include = readList('include', values.include as string | undefined, LIVE_EXTRAS)
  await checkFiles({ urls: urls === undefined || isStandardInput(urls) ? undefined : urls, out })
  await checkOverwrite({ out, overwrite: values.overwrite === true }, { canContinue: false })
  const { BatchClient } = await import('./batches/batch-client.ts')
  const { followBatch } = await import('./batches/follow-batch.ts')
  const { submitList } = await import('./batches/submit-list.ts')
  const client = new BatchClient(config)
  const id = attach ?? (await submitList(client, { file: urls ?? '-', column, include }, io))
  if (attach === undefined) io.stderr.write(`Submitted the batch ${id}.\n`)
  return await followBatch(client, { id, out }, io)
}

/** Options of lists that only this process could obey. */
const QUEUE_UNUSABLE = [
  'pages',
  'render',
  'columns',
  'technologies-out',
  'raw-columns',
  'concurrency',
  'resume',
  ...RETRIES,
  'allow',
  'skip',
  'format',
  'fail-on',
] as const

type OfflineMode = Exclude<Mode, 'live' | 'urls' | 'attach'>

/** Scans saved pages in workers, so that a page that takes too long does not affect the others. */
async function scanOffline(mode: OfflineMode, options: OfflineOptions, io: CommandIo): Promise<number> {
  const { out, timeout = '10', inputs, shard, include, rendering, folders, detectors, cache, networksFile } = options
  const isSingle = mode === 'html' || mode === 'har'
  // Reading takes a small part of one core.
  const threads = isSingle ? 1 : availableParallelism()
  const timeoutMs = readTimeout(timeout)
  const openMatcher = async (): Promise<PageMatcher> => {
    const networks = await openNetworks(networksFile)
    return openPageMatcher({ folders, detectors, cache, networks, threads, timeoutMs })
  }
  const open = openOutputs(mode, options, io)
  if (isSingle) {
    const isPrinted = out === undefined && options['technologies-out'] === undefined
    return await scanSaved({ ...options, openMatcher, openWriter: isPrinted ? null : open }, io)
  }
  const matcher = await openMatcher()
  try {
    const writer = await open()
    const { scanBatch } = await import('./scan/scan-batch.ts')
    const run = scanBatch({ inputs, shard, format: mode, writer, include, rendering, matcher, threads }, io)
    const { pages, failed, ended } = await run.finally(() => writer.close())
    io.stderr.write(`${formatCount(pages, 'page')}, ${failed} failed\n`)
    return failed > 0 || (options.failsOnEnded && reportEnded(ended, io)) ? EXIT.findings : EXIT.ok
  } finally {
    await matcher.close()
  }
}

/** Returns a function that opens the outputs of saved pages. */
function openOutputs(
  mode: OfflineMode,
  options: Omit<OutputValues, 'include'>,
  { stdout }: CommandIo,
): () => Promise<RecordWriter> {
  const kind: InputKind = mode === 'warc' ? 'warc' : 'saved'
  const { out, 'technologies-out': table } = options
  const output = buildOutputFormat(options, kind, { withMeta: false })
  const format = table === undefined ? null : buildTableFormat(table, kind)
  return () => openWriter({ out, table }, { output, table: format }, stdout)
}

/** Finds the mode that the options and the positional arguments select. */
function findMode(values: Values, positionals: readonly string[]): Mode {
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

function checkOptions(mode: Mode, values: Values): void {
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

/** @throws UsageError */
function readPages(given = '1'): number {
  if (!/^\d{1,2}$/.test(given) || Number(given) < 1 || Number(given) > MAX_PAGES)
    throw new UsageError(`--pages must be a number from 1 to ${MAX_PAGES}`)
  return Number(given)
}

function readRenderMode(given: string | undefined): RenderMode {
  return readList('render', given, RENDER_MODES).at(0) ?? 'never'
}

function readList<T extends string>(option: string, given: string | undefined, known: readonly T[]): T[] {
  const wanted = (given ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const one of wanted)
    if (!known.includes(one as T))
      throw new UsageError(`--${option} does not accept "${one}"${formatChoice(one, known)}`)
  return wanted as T[]
}
