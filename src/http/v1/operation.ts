import type { TObject } from '@sinclair/typebox'
import type { ApiErrorCode } from '../../errors.ts'
import type { Revision } from '../../service/request-state.ts'

/** Name of the schema of a 200 response. */
export type ResponseName = 'ScanResult' | 'KeyInfo' | 'KeyUsage' | 'Catalogue' | 'Batch' | 'BatchList' | 'BatchLine'

/** A header of a response in an OpenAPI document. */
export interface ResponseHeader {
  readonly description: string
  readonly schema: { readonly type: 'string' | 'integer' }
}

/** One endpoint as the OpenAPI documents describe it. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete'
  /** Path below `/api/v1`, with parameters as in `/batches/{id}`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** Builds the parameters in the query, as they are after `readOptions`. */
  readonly query?: (revision: Revision) => TObject
  readonly body?: (revision: Revision) => TObject
  /** Request headers that the operation reads. */
  readonly headers?: TObject
  /** Parameters in the path. */
  readonly params?: TObject
  /** Media types of the body that are lists of URLs instead of JSON. */
  readonly listTypes?: readonly string[]
  readonly ok: ResponseName
  /** Status of a success; 200 by default. */
  readonly okStatus?: 200 | 202
  /** Media types of a success; JSON by default. */
  readonly okTypes?: readonly string[]
  /** Headers that only a success of this operation has. */
  readonly okHeaders?: Readonly<Record<string, ResponseHeader>>
  /** Error codes that only some operations have, in addition to `COMMON_ERRORS`. */
  readonly errors?: readonly ApiErrorCode[]
  /** The first revision of the API that has the operation. */
  readonly since: Revision
  /** Whether responses have an entity tag and can be 304. */
  readonly isCacheable?: boolean
}

/** Lists the names of the documented parameters of an operation. */
export function listParameterNames({ query, body }: Operation, revision: Revision): string[] {
  return Object.keys((body ?? query)?.(revision).properties ?? {})
}

/** Error codes that every operation can respond with. */
export const COMMON_ERRORS: readonly ApiErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'method_not_allowed',
  'misdirected_request',
  'rate_limited',
  'internal',
  'maintenance',
  'unavailable',
]

const integer = (description: string): ResponseHeader => ({ description, schema: { type: 'integer' } })
const text = (description: string): ResponseHeader => ({ description, schema: { type: 'string' } })

const EVERY_RESPONSE = {
  'X-RateLimit-Limit': integer('Requests per minute.'),
  'X-RateLimit-Remaining': integer('Requests left in this minute.'),
  'X-RateLimit-Reset': integer('Start of the next minute, in Unix seconds.'),
  'X-Request-Id': text('The id sent by the client, or a generated one.'),
}
const AGE = { Age: integer('For a cached result: seconds since its scan.') }
const QUOTA = {
  'X-Quota-Limit': integer('Scans per month.'),
  'X-Quota-Remaining': integer('Scans left in this month.'),
  'X-Quota-Reset': integer('Start of the next month (UTC), in Unix seconds.'),
}
const VALIDATORS = {
  ETag: text('Changes whenever the response does.'),
  'Cache-Control': text('private, no-cache: store the response, and revalidate it before each use.'),
}
/** Headers that only one status has. */
const BY_STATUS: Readonly<Record<number, Readonly<Record<string, ResponseHeader>>>> = {
  405: { Allow: text('The allowed methods.') },
  429: { 'Retry-After': integer('Seconds to wait before the next try.') },
}

/** Lists the headers of a response. */
export function listHeaders(
  { ok, okStatus = 200, okHeaders, isCacheable = false }: Operation,
  { status, revision }: { readonly status: number; readonly revision: Revision },
): Readonly<Record<string, ResponseHeader>> {
  const isScan = ok === 'ScanResult'
  const hasQuota = isScan && revision === 2 && [200, 429, 500, 503].includes(status)
  return {
    ...EVERY_RESPONSE,
    ...(isScan && status === 200 && AGE),
    ...(status === okStatus && okHeaders),
    ...(hasQuota && QUOTA),
    ...(isCacheable && (status === 200 || status === 304) && VALIDATORS),
    ...BY_STATUS[status],
  }
}
