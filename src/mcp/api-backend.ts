import type { CatalogueEntry } from '../detector/catalogue.ts'
import { type Backend, type QuotaUsage, type SiteResult, ToolError } from './backend.ts'

/** A response of the API. */
export interface ApiResponse {
  readonly status: number
  /** Seconds of the header `Retry-After`; null if there is none. */
  readonly retryAfter: string | null
  /** The parsed JSON. */
  readonly body: unknown
}

/** Sends a request to the API with the key of the caller. `body` is sent as JSON with POST. @throws ToolError if there is no response */
export type SendRequest = (path: string, body?: object) => Promise<ApiResponse>

/** Uses the API of a service: every call of a tool is one request of the key, or one for each site. */
export function openApiBackend(send: SendRequest): Backend {
  const request = async <T>(path: string, body?: object): Promise<T> => {
    const response = await send(path, body)
    if (response.status === 200) return response.body as T
    throw new ToolError(describeError(response, path))
  }
  return {
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
  if (typeof error !== 'string') return `The service answered with status ${status}. Check its address.`
  const wait = retryAfter === null ? '' : ` Try again in ${retryAfter} seconds.`
  return [`${error}${wait}`, ADVICE[code ?? '']].filter(Boolean).join(' ')
}
