import { ScanError } from '../errors.ts'
import { findMetaRefreshes } from './meta-refresh.ts'
import type { Policy } from './policy.ts'
import { findScriptRedirect } from './script-redirect.ts'
import type { SiteResponse } from './session.ts'
import { checkTarget, MAX_URL_LENGTH, type Target } from './target.ts'

/** Statuses that redirect if there is a `Location` header (RFC 9110, 15.4). */
export const REDIRECT_STATUSES: ReadonlySet<unknown> = new Set([301, 302, 303, 307, 308])
/** A refresh with delay 0: `0; url=…`, with or without quotes (HTML standard, shared declarative refresh steps). */
const REFRESH = /^\s*(?:0+|(?=\.))(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** Finds all values of a header. */
export function findHeaders({ headers }: Pick<SiteResponse, 'headers'>, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value)
}

/**
 * Resolves the `Location` of a redirect. Returns null when the response is not a redirect or does not have the header.
 * @throws ScanError `redirect_refused` when the policy does not allow the target
 */
export function followLocation(response: SiteResponse, from: Target, policy: Policy): Target | null {
  if (!REDIRECT_STATUSES.has(response.status)) return null
  const locations = findHeaders(response, 'location')
  if (locations.length === 0) return null
  if (locations.length > 1) throw new ScanError('redirect_refused', { cause: 'more than one Location header' })
  return resolveHop(locations[0], from, policy)
}

/**
 * Resolves a `Refresh` header, a `<meta http-equiv=refresh>` with delay 0, or else a script that is all that a page has and assigns a
 * literal address to `location`. Returns null when there is none, or when the policy does not allow its target.
 */
export function followRefresh(response: SiteResponse, html: Uint8Array, from: Target, policy: Policy): Target | null {
  const contents = [...findHeaders(response, 'refresh'), ...findMetaRefreshes(html)]
  const refreshes = contents.map(readDestination).filter((destination) => destination !== '')
  const destination = refreshes[0] ?? findScriptRedirect(html, findHeaders(response, 'content-type')[0])
  try {
    return destination === null ? null : resolveHop(destination, from, policy)
  } catch {
    return null // A blocked refresh is ignored, and the current page is the result.
  }
}

/** Reads the URL of a refresh with delay 0; empty if there is none. */
function readDestination(content: string): string {
  const [, double, single, plain] = REFRESH.exec(content) ?? []
  return (double ?? single ?? plain ?? '').trim()
}

function resolveHop(text: string, from: Target, policy: Policy): Target {
  try {
    if (text.length > MAX_URL_LENGTH) throw new RangeError('too long')
    return checkTarget(new URL(text, from.url), policy)
  } catch (cause) {
    throw new ScanError('redirect_refused', { cause })
  }
}
