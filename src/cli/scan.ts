import { loadConfig } from '../config/config.ts'
import { EVIDENCE } from '../fetch/evidence-kinds.ts'
import { LIVE_EXTRAS } from '../scan/extras.ts'
import { checkFiles, checkOverwrite } from './command/check-files.ts'
import { type CommandIo, defineCommand, UsageError } from './command/command.ts'
import { FAIL_ON } from './scan/fail-on.ts'
import { isStandardInput } from './scan/list-input.ts'
import type { LiveOptions } from './scan/live-scan.ts'
import { checkOutputs, checkRetry } from './scan/output-options.ts'
import {
  checkOptions,
  FORMATS,
  findMode,
  RETRIES,
  readList,
  readPages,
  readRenderMode,
  readScanArgs,
  type ScanArgs,
} from './scan/scan-args.ts'
import { SCAN_HELP } from './scan/scan-help.ts'
import { scanOffline } from './scan/scan-offline.ts'
import { scanQueued } from './scan/scan-queued.ts'

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
  return scanOffline(mode, { values, positionals }, { config, isDescribed, isDocument, failsOnEnded }, io)
})

/** The arguments of a command that scans live sites. */
interface LiveArgs {
  readonly mode: 'live' | 'urls'
  readonly values: Omit<ScanArgs['values'], 'batch' | 'warc'>
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
