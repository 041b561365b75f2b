import { type Backend, type BatchBackend, type BatchState, type ToolBatchLine, ToolError } from './backend.ts'
import * as schemas from './batch-schemas.ts'
import type { Tool } from './tool.ts'

/** Results in one answer: about 10 KB of text. */
const MAX_RESULTS = 25

/** The tools that only a service has, by name. */
export const BATCH_TOOLS: Readonly<Record<string, Tool>> = {
  submit_batch: {
    title: 'Scan a list of websites',
    description:
      'Lets the service scan up to 200 websites in the background, and returns the id of the batch. Use it for more websites than compare_sites takes.',
    input: schemas.SUBMIT_INPUT,
    output: schemas.BATCH_OUTPUT,
    isOpenWorld: true,
    isSubmission: true,
    run: async (input, backend) => {
      const { urls, fresh = false } = input as schemas.SubmitInput
      return describe(await findBatches(backend).submit(urls, { fresh }))
    },
  },
  batch_status: {
    title: 'Show the progress of a batch',
    description:
      'Shows how many websites of a batch were scanned, how many failed and why, and how long it still takes.',
    input: schemas.STATUS_INPUT,
    output: schemas.BATCH_OUTPUT,
    isOpenWorld: false,
    run: async (input, backend) => describe(await findBatches(backend).read((input as schemas.StatusInput).id)),
  },
  batch_results: {
    title: 'Read the results of a batch',
    description: `Lists at most ${MAX_RESULTS} results of a batch, in the order of completion. The value of next continues the list; results of a running batch follow later.`,
    input: schemas.RESULTS_INPUT,
    output: schemas.RESULTS_OUTPUT,
    isOpenWorld: false,
    run: (input, backend) => readResults(input as schemas.ResultsInput, findBatches(backend)),
  },
}

function findBatches({ batches }: Backend): BatchBackend {
  if (batches === undefined) throw new ToolError('Batches need a service: start `siteprint mcp` with --api.')
  return batches
}

function describe({ id, status, reason, total, counts, failures, secondsLeft }: BatchState): schemas.BatchOutput {
  const { waiting, succeeded, failed, cancelled } = counts
  return { id, status, reason, total, waiting, succeeded, failed, cancelled, failures, secondsLeft }
}

/** A cursor is that of the API, and the number of lines of its part that were returned before: parts of the API are long. */
async function readResults(
  { id, cursor = '~0' }: schemas.ResultsInput,
  batches: BatchBackend,
): Promise<schemas.ResultsOutput> {
  const [start, skipped] = cursor.split('~')
  const { lines, next } = await batches.readResults(id, start === '' ? null : start)
  const from = Number(skipped)
  const results = lines.slice(from, from + MAX_RESULTS).map(toResult)
  if (from + MAX_RESULTS < lines.length) return { results, next: `${start}~${from + MAX_RESULTS}` }
  return { results, next: next === null ? null : `${next}~0` }
}

function toResult({
  position,
  url: requested,
  result,
  error = null,
}: ToolBatchLine): schemas.ResultsOutput['results'][number] {
  if (result === undefined) return { position, requested, error }
  const { url, builder, confidence, category, hosting, siteType, technologies, page } = result
  return {
    ...{ position, requested, url, builder, confidence, category, hosting, siteType },
    technologies: [...technologies],
    ...(page !== undefined && page.state !== 'site' && { cameBack: page.state }),
    error,
  }
}
