import type { IncomingMessage } from 'node:http'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { BatchService } from '../../batches/batch-service.ts'
import { type ListKind, MAX_LIST_BYTES, parseList } from '../../batches/parse-list.ts'
import { ApiError, buildInvalidRequest } from '../../errors.ts'
import { getRequestState } from '../../service/request-state.ts'
import { parseJson, readBytes } from '../body.ts'
import { CSV, LIST_TYPES, NDJSON, SUBMIT } from './batch-operations.ts'
import { type BATCH_QUERY, readOptions } from './request-schemas.ts'

/** Reads the bodies of submissions: JSON, or a list of another kind with the options in the query. */
export function readLists(scope: FastifyInstance, batches: BatchService): void {
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
