import type { Config } from '../../config/config.ts'
import { LIVE_EXTRAS } from '../../scan/extras.ts'
import { checkFiles, checkOverwrite } from '../command/check-files.ts'
import { type CommandIo, UsageError } from '../command/command.ts'
import { isStandardInput } from './list-input.ts'
import { RETRIES, readList, type Values } from './scan-args.ts'

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

/** Lets a service scan a list, or follows a batch of it. @returns the exit code */
export async function scanQueued(
  values: Omit<Values, 'batch' | 'warc'>,
  config: Config,
  io: CommandIo,
): Promise<number> {
  const { attach, urls, column, out } = values as Readonly<Partial<Record<string, string>>>
  const unusable = QUEUE_UNUSABLE.find((option) => values[option] !== undefined)
  if (unusable !== undefined) throw new UsageError(`--${unusable} cannot be used with --queue`)
  if (attach === undefined && urls === undefined) throw new UsageError('--queue needs a list: name it with --urls')
  const include = readList('include', values.include as string | undefined, LIVE_EXTRAS)
  await checkFiles({ urls: urls === undefined || isStandardInput(urls) ? undefined : urls, out })
  await checkOverwrite({ out, overwrite: values.overwrite === true }, { canContinue: false })
  const { BatchClient } = await import('../batches/batch-client.ts')
  const { followBatch } = await import('../batches/follow-batch.ts')
  const { submitList } = await import('../batches/submit-list.ts')
  const client = new BatchClient(config)
  const id = attach ?? (await submitList(client, { file: urls ?? '-', column, include }, io))
  if (attach === undefined) io.stderr.write(`Submitted the batch ${id}.\n`)
  return await followBatch(client, { id, out }, io)
}
