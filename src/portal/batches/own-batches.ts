import { Readable } from 'node:stream'
import type { BatchService, CountedBatch } from '../../batches/batch-service.ts'
import { formatResults, type ResultFormat } from '../../batches/format-results.ts'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import type { Batch, BatchCounts } from '../../store/batch-types.ts'
import { type PageContext, PageError } from '../page.ts'

type Context = PageContext<'session'>

/** The counters of the slots of keys, whose batches belong to the account. */
export function listCounters(keys: readonly Key[]): readonly string[] {
  return [...new Set(keys.map(({ counter }) => counter))]
}

/** Finds the batch in the path of the request. @throws PageError 404 if there is none, or if it belongs to another account */
export async function findOwnBatch({ parts, account, params }: Context): Promise<Batch> {
  const keys = await parts.store.keys.listAccountKeys(account.id)
  try {
    return await parts.batches.find(listCounters(keys), params.id)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
    const days = parts.settings.batchDays
    throw new PageError(404, `You have no such batch. Batches are deleted ${days} days after they have ended.`)
  }
}

/**
 * Reads the lines that a batch has at the moment as a file, part by part, so that it may be larger than the memory.
 * @param counted the batch and the numbers of its URLs, which bound the lines: a running batch gets new ones meanwhile
 */
export function streamResults(batches: BatchService, { batch, counts }: CountedBatch, format: ResultFormat): Readable {
  return Readable.from(formatParts(batches, { batch, format, maxLines: countFinished(counts) }), { objectMode: false })
}

/** The number of URLs that have a result or an error. */
export function countFinished({ succeeded, failures }: BatchCounts): number {
  return succeeded + Object.values(failures).reduce((sum, n) => sum + n, 0)
}

interface FileParts {
  readonly batch: Batch
  readonly format: ResultFormat
  readonly maxLines: number
}

/** Lets spreadsheets read CSV as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

async function* formatParts(batches: BatchService, { batch, format, maxLines }: FileParts): AsyncGenerator<string> {
  let cursor: string | null = null
  let count = 0
  if (format === 'csv') yield BYTE_ORDER_MARK
  do {
    const { lines, next } = await batches.read(batch, cursor)
    const text = formatResults(lines, { format, hasHeader: cursor === null })
    if (text !== '') yield text
    count += lines.length
    cursor = lines.length === 0 || count >= maxLines ? null : next
  } while (cursor !== null)
}
