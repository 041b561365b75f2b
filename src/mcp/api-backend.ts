import type { CatalogueEntry } from '../detector/catalogue.ts'
import {
  type Backend,
  type BatchBackend,
  type BatchState,
  type QuotaUsage,
  type SiteResult,
  type ToolBatchLine,
  ToolError,
} from './backend.ts'
import { findNextQuery } from './next-part.ts'

/** A response of the API. */
export interface ApiResponse {
  readonly status: number
  /** Seconds of the header `Retry-After`; null if there is none. */
  readonly retryAfter: string | null
  /** The parsed JSON; of NDJSON, a list with one value for each line. */
  readonly body: unknown
  /** Cursor of the next part, from the header `Link`; null if there is none. */
  readonly next: string | null
}

/** Headers and text of a response, as they were received. */
interface ReceivedResponse {
  readonly status: number
  /** Values by name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
}

/** Parses a response. @throws SyntaxError if it is not JSON */
export function parseResponse({ status, headers, text }: ReceivedResponse): ApiResponse {
  const { 'content-type': type = '', 'retry-after': retryAfter = null, link } = headers
  const lines = (): unknown[] => text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]))
  const next = new URLSearchParams(findNextQuery(link) ?? '').get('cursor')
  return { status, retryAfter, next, body: type.startsWith('application/x-ndjson') ? lines() : JSON.parse(text) }
}

const BATCHES = '/api/v1/batches'

/** Sends a request to the API with the key of the caller. `body` is sent as JSON with POST. @throws ToolError if there is no response */
export type SendRequest = (path: string, body?: object) => Promise<ApiResponse>

/** Uses the API of a service: every call of a tool is one request of the key, or one for each site. */
export function openApiBackend(send: SendRequest): Backend {
  const call = async (path: string, body?: object): Promise<ApiResponse> => {
    const response = await send(path, body)
    if (response.status === 200 || response.status === 202) return response
    throw new ToolError(describeError(response, path))
  }
  const request = async <T>(path: string, body?: object): Promise<T> => (await call(path, body)).body as T
  const batches: BatchBackend = {
    submit: (urls, { fresh }) => request<BatchState>(BATCHES, { urls, ...(fresh && { fresh }) }),
    read: (id) => request<BatchState>(`${BATCHES}/${encodeURIComponent(id)}`),
    readResults: async (id, cursor) => {
      const query = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const { body, next } = await call(`${BATCHES}/${encodeURIComponent(id)}/results${query}`)
      return { lines: body as readonly ToolBatchLine[], next }
    },
  }
  return {
    batches,
    scan: (url, { include, fresh, pages = 1, render = 'never' }) =>
      request<SiteResult>('/api/v1/scan', {
        url,
        ...(include.length > 0 && { include }),
        ...(fresh && { fresh }),
        ...(pages > 1 && { pages }),
        ...(render !== 'never' && { render }),
      }),
    listCatalogue: async () => {
      const { entries } = await request<{ readonly entries: readonly CatalogueEntry[] }>('/api/v1/catalogue')
      return entries
    },
    readUsage: async (): Promise<QuotaUsage> => {
      const me = await request<Readonly<Record<string, number & string>>>('/api/v1/me')
      const { plan, requests_used: used, requests_limit: limit, requests_remaining: remaining, resets_on } = me
      return { plan, used, limit, remaining, resetsOn: resets_on ?? null }
    },
  }
}

/** What to do, for the codes whose sentence does not say it. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: 'Check the API key.',
  quota_exceeded: 'The tool usage says when it begins again.',
}

function describeError({ status, retryAfter, body }: ApiResponse, path: string): string {
  const { error, code } = (body ?? {}) as { readonly error?: string; readonly code?: string }
  if (status === 404 && path.endsWith('/catalogue'))
    return 'The catalogue exists in revision 2 of the API only: use a key of revision 2.'
  if (code === 'not_found' && path.startsWith(`${BATCHES}/`))
    return 'This key has no such batch. The tool submit_batch returns the id of a batch.'
  if (code === 'not_found' && path === BATCHES)
    return 'Batches exist in revision 2 of the API only: use a key of revision 2.'
  if (typeof error !== 'string') return `The service answered with status ${status}. Check its address.`
  const wait = retryAfter === null ? '' : ` Try again in ${retryAfter} seconds.`
  return [`${error}${wait}`, ADVICE[code ?? '']].filter(Boolean).join(' ')
}
