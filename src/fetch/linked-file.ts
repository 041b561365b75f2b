import { findHeaders, followLocation } from './redirect.ts'
import type { Session, SiteResponse } from './session.ts'
import type { Target } from './target.ts'

/** How to request a file that belongs to a page. */
export interface FileRequest<T> {
  readonly session: Session
  /** Waits for a slot at a host. Returns a function that releases it. */
  readonly acquire: (host: string, signal: AbortSignal) => Promise<() => void>
  /** Ends this request only. */
  readonly signal: AbortSignal
  /** Reads the response that is not a redirect. Its body is destroyed afterwards. */
  readonly read: (response: SiteResponse) => Promise<T>
}

/**
 * Requests a file and follows redirects, each hop under the policy of the session and while holding a slot at its host.
 * @returns null when there are too many redirects
 * @throws ScanError; the signal's reason; errors of `read`
 */
export async function requestFile<T>(first: Target, request: FileRequest<T>): Promise<T | null> {
  let target = first
  for (let hop = 0; hop <= request.session.policy.maxRedirects; hop++) {
    const { next, value } = await requestHop(target, request)
    if (next === null) return value
    target = next
  }
  return null
}

/** Sends one request. Returns the target of a redirect, or what `read` makes of the response. */
async function requestHop<T>(
  target: Target,
  { session, acquire, signal, read }: FileRequest<T>,
): Promise<{ readonly next: Target | null; readonly value: T | null }> {
  const release = await acquire(target.host, signal)
  try {
    const response = await session.get(target, '*/*', signal)
    try {
      const next = followLocation(response, target, session.policy)
      return { next, value: next === null ? await read(response) : null }
    } finally {
      response.body.destroy()
    }
  } finally {
    release()
  }
}

/** An HTML response (soft 404) means that the file does not exist. */
export function isFile(response: SiteResponse): boolean {
  return response.status === 200 && !/html/i.test(findHeaders(response, 'content-type').join())
}
