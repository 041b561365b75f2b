import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BatchService, ResultPart } from '../../batches/batch-service.ts'
import { describeBatch } from '../../batches/describe-batch.ts'
import { formatResults } from '../../batches/format-results.ts'
import { buildWebhookSecret } from '../../batches/webhook.ts'
import { buildInvalidRequest } from '../../errors.ts'
import type { BatchInfo, BatchListInfo } from '../../service/response-schemas.ts'
import type { Batch } from '../../store/batch-types.ts'
import type { AppParts } from '../parts.ts'
import { readLists } from './batch-lists.ts'
import { CANCEL, CSV, GET, LIST, NDJSON, RESULTS, RETRY, SUBMIT } from './batch-operations.ts'
import type { BATCH_LIST_QUERY, BATCH_RESULTS_QUERY, BatchParameters } from './request-schemas.ts'
import { registerPath2 } from './revision-2.ts'

/** Results below this size are not worth compressing. */
const MIN_GZIP_BYTES = 1024

const VALID_IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const compress = promisify(gzip)

interface BatchParts extends AppParts {
  readonly batches: BatchService
}

/** Registers the endpoints of batches. */
export async function registerBatches(v1: FastifyInstance, parts: BatchParts): Promise<void> {
  const { batches } = parts
  const view = async (batch: Batch, now: number, secret?: string): Promise<BatchInfo> => {
    const { batchDays } = parts.settings
    return describeBatch(await batches.count(batch), { now, batchDays, ...(secret !== undefined && { secret }) })
  }
  const find = (request: FastifyRequest, counter: string): Promise<Batch> =>
    batches.find([counter], (request.params as { readonly id: string }).id)
  await v1.register(async (scope) => {
    readLists(scope, batches)
    scope.addHook('preHandler', async () => batches.requireRunner())
    await registerPath2(scope, [
      {
        operation: SUBMIT,
        handle: (request, reply, { key, now }) => submit(request, reply, { ...parts, key, now, view }),
      },
      {
        operation: LIST,
        handle: async (request, _, { key, now }): Promise<BatchListInfo> => {
          const { before } = request.query as Static<typeof BATCH_LIST_QUERY>
          const { batches: page, next } = await batches.list([key.counter], before)
          return { batches: await Promise.all(page.map((batch) => view(batch, now))), next }
        },
      },
      {
        operation: GET,
        handle: async (request, _, { key, now }) => view(await find(request, key.counter), now),
      },
      {
        operation: CANCEL,
        handle: async (request, _, { key, now }) => view(await batches.cancel(await find(request, key.counter)), now),
      },
      {
        operation: RETRY,
        handle: async (request, reply, { key, now }) => {
          const batch = await batches.retry(await find(request, key.counter))
          return reply.code(202).send(await view(batch, now))
        },
      },
      {
        operation: RESULTS,
        handle: async (request, reply, { key }) => {
          const { cursor = null } = request.query as Static<typeof BATCH_RESULTS_QUERY>
          const batch = await find(request, key.counter)
          return await sendPart(request, reply, await batches.read(batch, cursor))
        },
      },
    ])
  })
}

interface SubmitParts extends BatchParts {
  readonly key: Parameters<BatchService['submit']>[0]
  readonly now: number
  readonly view: (batch: Batch, now: number, secret?: string) => Promise<BatchInfo>
}

async function submit(
  request: FastifyRequest,
  reply: FastifyReply,
  { batches, pepper, key, now, view }: SubmitParts,
): Promise<FastifyReply> {
  const { urls, include = [], fresh = false, webhook = null } = request.body as BatchParameters
  const idempotencyKey = readIdempotencyKey(request)
  const batch = await batches.submit(key, { entries: urls, include, fresh, webhook, idempotencyKey })
  const secret = batch.webhook === null ? undefined : buildWebhookSecret(key.counter, pepper)
  return reply
    .code(202)
    .header('location', `/api/v1/batches/${batch.id}`)
    .send(await view(batch, now, secret))
}

function readIdempotencyKey({ headers }: FastifyRequest): string | null {
  const value = headers['idempotency-key']
  if (value === undefined) return null
  if (typeof value === 'string' && VALID_IDEMPOTENCY_KEY.test(value)) return value
  throw buildInvalidRequest('Idempotency-Key must have 1 to 255 visible ASCII characters.')
}

/** Sends a part of the results. */
async function sendPart(
  request: FastifyRequest,
  reply: FastifyReply,
  { lines, next }: ResultPart,
): Promise<FastifyReply> {
  const { format = 'ndjson', cursor } = request.query as Static<typeof BATCH_RESULTS_QUERY>
  const [path] = request.url.split('?')
  if (next !== null) {
    const query = format === 'csv' ? '&format=csv' : ''
    reply.header('link', `<${path}?cursor=${next}${query}>; rel="next"`)
  }
  // Only the first part has a header, so that the parts can be joined.
  const text = formatResults(lines, { format, hasHeader: cursor === undefined })
  reply.type(format === 'csv' ? `${CSV}; charset=utf-8` : NDJSON).header('vary', 'accept-encoding')
  const isCompressed = text.length >= MIN_GZIP_BYTES && acceptsGzip(request.headers['accept-encoding'])
  if (!isCompressed) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await compress(text))
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  return /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i.test(String(header ?? ''))
}
