import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { BatchService, ResultPart } from '../../batches/batch-service.ts'
import { describeBatch } from '../../batches/describe-batch.ts'
import { formatResults } from '../../batches/format-results.ts'
import { type ListKind, MAX_LIST_BYTES, parseList } from '../../batches/parse-list.ts'
import { buildWebhookSecret } from '../../batches/webhook.ts'
import { ApiError, buildInvalidRequest } from '../../errors.ts'
import { getRequestState } from '../../service/request-state.ts'
import type { BatchInfo, BatchListInfo } from '../../service/response-schemas.ts'
import type { Batch } from '../../store/batch-types.ts'
import { readBytes } from '../body.ts'
import type { AppParts } from '../parts.ts'
import type { Operation } from './operation.ts'
import {
  BATCH_HEADERS,
  BATCH_LIST_QUERY,
  BATCH_PATH,
  BATCH_QUERY,
  BATCH_REQUEST,
  BATCH_RESULTS_QUERY,
  type BatchParameters,
  NO_QUERY,
  readOptions,
} from './request-schemas.ts'
import { registerPath2 } from './revision-2.ts'

/** Results below this size are not worth compressing. */
const MIN_GZIP_BYTES = 1024

const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'
const LIST_TYPES = ['text/plain', NDJSON, CSV]
const VALID_IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
const compress = promisify(gzip)

const COUNTED = 'Counts against the rate limit, but not against the quota. Exists in revision 2 only.'
const ONE = { path: '/batches/{id}', params: BATCH_PATH, since: 2, errors: ['not_found'] } as const

const SUBMIT: Operation = {
  method: 'post',
  path: '/batches',
  operationId: 'createBatch',
  summary: 'Submit a list of URLs',
  description: `Scans the URLs in the background, each as POST /scan does. The list is JSON; or one URL per line as text/plain, a text or an object with url per line as ${NDJSON}, or text/csv with the parameter column, and then the options are in the query. Each success is charged once to the monthly quota; the batch pauses while the quota is used up. ${COUNTED}`,
  query: () => BATCH_QUERY,
  body: () => BATCH_REQUEST,
  headers: BATCH_HEADERS,
  listTypes: LIST_TYPES,
  ok: 'Batch',
  okStatus: 202,
  okHeaders: { Location: { description: 'The path of the batch.', schema: { type: 'string' } } },
  errors: ['invalid_url', 'blocked_target', 'payload_too_large', 'idempotency_conflict'],
  since: 2,
}

const LIST: Operation = {
  method: 'get',
  path: '/batches',
  operationId: 'listBatches',
  summary: 'List the batches of the key',
  description: `Newest first. ${COUNTED}`,
  query: () => BATCH_LIST_QUERY,
  ok: 'BatchList',
  since: 2,
}

const GET: Operation = {
  ...ONE,
  method: 'get',
  operationId: 'getBatch',
  summary: 'Progress of a batch',
  description: COUNTED,
  query: () => NO_QUERY,
  ok: 'Batch',
}

const CANCEL: Operation = {
  ...ONE,
  method: 'delete',
  operationId: 'cancelBatch',
  summary: 'Cancel a batch',
  description: `URLs whose scan has not started are not scanned. Results stay readable. ${COUNTED}`,
  query: () => NO_QUERY,
  ok: 'Batch',
}

const RETRY: Operation = {
  ...ONE,
  method: 'post',
  path: '/batches/{id}/retry',
  operationId: 'retryBatch',
  summary: 'Scan the failed URLs of a batch again',
  description: `Their errors are replaced by new lines at the end of the results. Successes stay as they are. ${COUNTED}`,
  query: () => NO_QUERY,
  ok: 'Batch',
  okStatus: 202,
}

const RESULTS: Operation = {
  ...ONE,
  method: 'get',
  path: '/batches/{id}/results',
  operationId: 'getBatchResults',
  summary: 'Results of a batch',
  description: `One line for each URL that has a result or an error, in the order of completion, in parts. The header Link leads to the next part; it is absent at the end of a batch that has ended. A part of a running batch may be empty: read the same link again later. Sent with gzip to clients that accept it. ${COUNTED}`,
  query: () => BATCH_RESULTS_QUERY,
  ok: 'BatchLine',
  okTypes: [NDJSON, CSV],
  okHeaders: { Link: { description: 'The next part, with rel="next".', schema: { type: 'string' } } },
}

/** The operations of batches, in the order of the documents. */
export const BATCH_OPERATIONS: readonly Operation[] = [SUBMIT, LIST, GET, RESULTS, RETRY, CANCEL]

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

/** Reads the bodies of submissions: JSON, or a list of another kind with the options in the query. */
function readLists(scope: FastifyInstance, batches: BatchService): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', async (request: FastifyRequest, payload: IncomingMessage) => {
    const state = getRequestState(request)
    if (request.routeOptions.config.operation !== SUBMIT) {
      payload.resume()
      return undefined
    }
    const createError = (): ApiError => {
      const allowed =
        state.key === undefined ? '' : ` A batch of this key may contain ${batches.findLimit(state.key)} URLs.`
      const sentence = `The list is larger than ${MAX_LIST_BYTES / 1024 / 1024} MiB.${allowed}`
      return new ApiError('payload_too_large', { sentence })
    }
    const bytes = await readBytes(request, payload, { maxBytes: MAX_LIST_BYTES, createError })
    return bytes === null ? undefined : await parseSubmission(request, bytes)
  })
}

/** Parses a list into the form of the JSON body. An error is recorded in the state of the request. */
async function parseSubmission(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  const state = getRequestState(request)
  try {
    if (!/^(?:identity)?$/i.test(request.headers['content-encoding'] ?? ''))
      throw buildInvalidRequest('Send the list uncompressed, without the header Content-Encoding.')
    const kind = findListKind(state.mediaType)
    if (kind === 'json') return parseJson(bytes)
    const { column, ...options } = request.query as Static<typeof BATCH_QUERY>
    readOptions(options, { isQuery: true })
    const name = typeof column === 'string' ? column : undefined
    return { urls: await parseList(bytes, { kind, column: name }), ...options }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    state.bodyError = error
    return undefined
  }
}

const KINDS: Readonly<Record<string, ListKind | 'json'>> = {
  'application/json': 'json',
  'text/plain': 'text',
  [NDJSON]: 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  [CSV]: 'csv',
}

function findListKind(mediaType: string): ListKind | 'json' {
  const name = mediaType.split(';')[0].trim().toLowerCase()
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  if (kind !== undefined) return kind
  throw buildInvalidRequest(`Send the list with the header Content-Type: application/json, ${LIST_TYPES.join(', ')}.`)
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw buildInvalidRequest('The request body is not valid JSON in UTF-8.')
  }
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
