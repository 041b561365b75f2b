import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'
import { openPageMatcher, type PageMatcher } from '../../detector/detector.ts'
import { openNetworks } from '../../networks/open-networks.ts'
import { checkFiles, checkOverwrite } from '../command/check-files.ts'
import { type CommandIo, EXIT, readTimeout, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import type { InputKind } from '../formats/columns.ts'
import { openWriter, type RecordWriter } from '../formats/record-writer.ts'
import { buildTableFormat } from '../formats/technology-table.ts'
import { reportEnded } from './fail-on.ts'
import { SAVED_EXTRAS, type SavedExtra } from './match-page.ts'
import { buildOutputFormat, checkOutputs, type OutputValues } from './output-options.ts'
import type { SavedRendering } from './render-saved.ts'
import { type Mode, readList, readRenderMode, type ScanArgs } from './scan-args.ts'
import { scanSaved } from './scan-saved.ts'
import { parseShard, type Shard } from './shard.ts'

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

/**
 * Scans saved pages: checks the options and the files, starts the browser if pages are to be rendered, and writes the results.
 * @returns the exit code
 * @throws UsageError
 */
export async function scanOffline(
  mode: OfflineMode,
  { values, positionals }: ScanArgs,
  {
    config,
    ...shown
  }: Pick<OfflineOptions, 'isDescribed' | 'isDocument' | 'failsOnEnded'> & { readonly config: Config },
  io: CommandIo,
): Promise<number> {
  const { batch: _, warc: __, ...single } = values
  const include = readList('include', values.include, SAVED_EXTRAS)
  const inputs = mode === 'batch' || mode === 'warc' ? [...(values[mode] ?? []), ...positionals] : []
  await checkFiles(single)
  for (const input of inputs) await checkArchive(mode as 'batch' | 'warc', input, single)
  checkOutputs(values, mode === 'warc' ? 'warc' : 'saved')
  await checkOverwrite(single, { canContinue: false })
  const shard = parseShard(single.shard)
  const render = readRenderMode(values.render)
  const live = { config, render, allow: [] }
  const renderer = render === 'never' ? null : await (await import('./live-scan.ts')).startListRenderer(live, io)
  const rendering = renderer === null || render === 'never' ? null : { renderer, mode: render }
  const options = { ...single, ...findRuleOptions(config), inputs, shard, include, rendering, ...shown }
  try {
    return await matchPages(mode, options, io)
  } finally {
    await renderer?.close()
  }
}

/** @throws UsageError for an archive that cannot be read, that an output would overwrite, or that is a list of URLs */
async function checkArchive(
  mode: 'batch' | 'warc',
  input: string,
  { out, 'technologies-out': table }: Readonly<Partial<Record<'out' | 'technologies-out', string>>>,
): Promise<void> {
  await checkFiles({ out, 'technologies-out': table, [mode]: input })
  const isList = mode === 'batch' && (await (await import('./batch-lines.ts')).isUrlList(input))
  if (isList) throw new UsageError(`--batch: ${input} looks like a list of URLs: use --urls`)
}

function findRuleOptions({ ruleFolders, detectorModules, cacheDir, networksFile }: Config) {
  return { folders: ruleFolders, detectors: detectorModules, cache: cacheDir, networksFile }
}

type OfflineMode = Exclude<Mode, 'live' | 'urls' | 'attach'>

/** Matches saved pages in workers, so that a page that takes too long does not affect the others. */
async function matchPages(mode: OfflineMode, options: OfflineOptions, io: CommandIo): Promise<number> {
  const { out, timeout = '10', inputs, shard, include, rendering, folders, detectors, cache, networksFile } = options
  const isSingle = mode === 'html' || mode === 'har'
  // Reading takes a small part of one core.
  const threads = isSingle ? 1 : availableParallelism()
  const timeoutMs = readTimeout(timeout)
  const openMatcher = async (): Promise<PageMatcher> => {
    const networks = await openNetworks(networksFile)
    return openPageMatcher({ folders, detectors, cache, networks, threads, timeoutMs, isWarmedUp: !isSingle })
  }
  const open = openOutputs(mode, options, io)
  if (isSingle) {
    const isPrinted = out === undefined && options['technologies-out'] === undefined
    return await scanSaved({ ...options, openMatcher, openWriter: isPrinted ? null : open }, io)
  }
  const matcher = await openMatcher()
  try {
    const writer = await open()
    const { scanBatch } = await import('./scan-batch.ts')
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
