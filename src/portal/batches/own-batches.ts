import { Readable } from 'node:stream'
import type { BatchService, CountedBatch } from '../../batches/batch-service.ts'
import { formatResults, type ResultFormat } from '../../batches/format-results.ts'
import { ApiError } from '../../errors.ts'
import type { Key } from '../../keys/types.ts'
import type { Batch, BatchLine } from '../../store/batch-types.ts'
import { PageError, type SessionContext } from '../page.ts'

/** The counters of the slots of keys, whose batches belong to the account. */
export function listCounters(keys: readonly Key[]): readonly string[] {
  return [...new Set(keys.map(({ counter }) => counter))]
}

/** Finds the batch in the path of the request. @throws PageError 404 if there is none, or if it belongs to another account */
export async function findOwnBatch({ parts, account, params }: SessionContext): Promise<Batch> {
  const keys = await parts.store.keys.listAccountKeys(account.id)
  try {
    return await parts.batches.find(listCounters(keys), params.id)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'not_found')) throw error
    const days = parts.settings.batchDays
    throw new PageError(404, `You have no such batch. Batches are deleted ${days} days after they have ended.`)
  }
}

/** Lets spreadsheets read CSV as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff'

/** Formats the results that a batch has at the moment as a file, part by part, so that it may be larger than the memory. */
export function streamResults(batches: BatchService, counted: CountedBatch, format: ResultFormat): Readable {
  return Readable.from(formatParts(batches.readCounted(counted), format), { objectMode: false })
}

async function* formatParts(parts: AsyncIterable<readonly BatchLine[]>, format: ResultFormat): AsyncGenerator<string> {
  let hasHeader = true
  if (format === 'csv') yield BYTE_ORDER_MARK
  for await (const lines of parts) {
    const text = formatResults(lines, { format, hasHeader })
    if (text !== '') yield text
    hasHeader = false
  }
}
