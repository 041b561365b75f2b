import type { ResultFormat } from '../../batches/format-results.ts'
import { ApiError } from '../../errors.ts'
import { BatchPage } from '../batches/batch-page.tsx'
import { readBatchReport } from '../batches/batch-report.ts'
import { BatchReportPage, BatchTablePage } from '../batches/batch-results.tsx'
import { findOwnBatch, streamResults } from '../batches/own-batches.ts'
import { Download, definePage, PageError, type PageResult, Redirect, type SessionContext } from '../page.ts'

/** Lines of one page of the table. */
const PAGE_LINES = 100

/** The progress of a batch. */
const BATCH = definePage<'session'>({
  method: 'GET',
  path: '/batches/:id',
  needs: 'session',
  handle: async (context) => {
    const batch = await findOwnBatch(context)
    return <BatchPage context={context} counted={await context.parts.batches.count(batch)} />
  },
})

/** The charts of its results. */
const BATCH_REPORT = definePage<'session'>({
  method: 'GET',
  path: '/batches/:id/report',
  needs: 'session',
  handle: async (context) => {
    const batch = await findOwnBatch(context)
    const report = await readBatchReport(context, await context.parts.batches.count(batch))
    return <BatchReportPage context={context} batch={batch} report={report} />
  },
})

/** Its results as a table. */
const BATCH_TABLE = definePage<'session'>({
  method: 'GET',
  path: '/batches/:id/results',
  needs: 'session',
  handle: async (context) => {
    const { parts, query } = context
    const batch = await findOwnBatch(context)
    const after = query.text('cursor') || null
    // The cursors of both stores.
    if (after !== null && !/^\d{1,16}(?:-\d{1,16})?$/.test(after)) throw new PageError(404)
    const part = await parts.store.batches.readPart(batch.id, { after, limit: PAGE_LINES })
    return <BatchTablePage context={context} batch={batch} part={part} />
  },
})

/** Defines the download of the results in a format. */
function defineDownload(format: ResultFormat, type: string) {
  return definePage<'session'>({
    method: 'GET',
    path: `/batches/:id/results.${format}`,
    needs: 'session',
    handle: async (context): Promise<PageResult> => {
      const { batches } = context.parts
      const batch = await findOwnBatch(context)
      const body = streamResults(batches, await batches.count(batch), format)
      return new Download({ name: `siteprint-batch-${batch.id}.${format}`, type, body })
    },
  })
}

/** Cancels what has not started. */
const CANCEL_BATCH = definePage<'session'>({
  method: 'POST',
  path: '/batches/:id/cancel',
  needs: 'session',
  handle: async (context) => {
    const batch = await findOwnBatch(context)
    context.parts.switches.check()
    await context.parts.batches.cancel(batch)
    return new Redirect(`/batches/${batch.id}`)
  },
})

/** Lets failures be scanned again: those with the code of the form, or all. */
const RETRY_BATCH = definePage<'session'>({
  method: 'POST',
  path: '/batches/:id/retry',
  needs: 'session',
  handle: async (context) => {
    const batch = await findOwnBatch(context)
    await retry(context, batch)
    return new Redirect(`/batches/${batch.id}`)
  },
})

async function retry({ parts, form }: SessionContext, batch: Awaited<ReturnType<typeof findOwnBatch>>): Promise<void> {
  parts.switches.check()
  parts.batches.requireRunner()
  const code = form.text('code')
  try {
    await parts.batches.retry(batch, code === '' ? undefined : [code])
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_request') throw new PageError(409, error.message)
    throw error
  }
}

export const BATCH_PAGES = [
  BATCH,
  BATCH_REPORT,
  BATCH_TABLE,
  defineDownload('csv', 'text/csv; charset=utf-8'),
  defineDownload('ndjson', 'application/x-ndjson; charset=utf-8'),
  CANCEL_BATCH,
  RETRY_BATCH,
]
