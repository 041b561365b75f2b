import { type ApiResponse, parseResponse, type SendRequest } from '../../mcp/api-backend.ts'
import { ToolError } from '../../mcp/backend.ts'

/** A scan takes at most 31 seconds in the service, if a browser runs the page. */
const TIMEOUT_MS = 45_000

/** Builds the function that sends requests to a service. `api` is its URL, `key` an API key. */
export function buildHttpSender(api: string, key: string): SendRequest {
  const base = api.replace(/\/{1,9}$/, '')
  return async (path, body): Promise<ApiResponse> => {
    try {
      const response = await fetch(base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'error', // A redirect to another host would send the key there.
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { status, headers } = response
      const text = await response.text()
      try {
        return parseResponse({ status, headers: Object.fromEntries(headers), text })
      } catch {
        return { status, retryAfter: headers.get('retry-after'), body: null, next: null }
      }
    } catch (cause) {
      throw new ToolError(`The service at ${base} does not answer. Check --api and whether it is running.`, { cause })
    }
  }
}
