import { ScanError } from '../errors.ts'
import { findMetaRefreshes } from './meta-refresh.ts'
import type { Policy } from './policy.ts'
import type { Answer } from './session.ts'
import { checkTarget, MAX_LENGTH, type Target } from './target.ts'

/** Statuses that lead on where there is a `Location` (RFC 9110, 15.4). */
export const REDIRECTS: ReadonlySet<unknown> = new Set([301, 302, 303, 307, 308])
/** What a refresh with delay 0 says: `0; url=…`, quotes or not (HTML standard, shared declarative refresh steps). */
const REFRESH = /^\s*(?:0+|(?=\.))(?:\.[\d.]*)?\s*[;,\s]\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is

/** Values of a header. */
export function headersOf({ headers }: Pick<Answer, 'headers'>, name: string): string[] {
  return headers.filter(([key]) => key === name).map(([, value]) => value)
}

/**
 * Where a `Location` leads; null when the answer is no redirect or has none.
 * @throws ScanError `redirect_refused` when it leads where nobody may go
 */
export function followLocation(answer: Answer, from: Target, policy: Policy): Target | null {
  if (!REDIRECTS.has(answer.status)) return null
  const locations = headersOf(answer, 'location')
  if (locations.length === 0) return null
  if (locations.length > 1) throw new ScanError('redirect_refused', { cause: 'several Location headers' })
  return resolveHop(locations[0], from, policy)
}

/** Where a `Refresh` header or `<meta http-equiv=refresh>` with delay 0 leads; null when nowhere, or nowhere allowed. */
export function followRefresh(answer: Answer, html: Uint8Array, from: Target, policy: Policy): Target | null {
  const contents = [...headersOf(answer, 'refresh'), ...findMetaRefreshes(html)]
  for (const content of contents) {
    const [, double, single, plain] = REFRESH.exec(content) ?? []
    const leadsTo = (double ?? single ?? plain ?? '').trim()
    if (leadsTo === '') continue
    try {
      const target = resolveHop(leadsTo, from, policy)
      return target.url.href === from.url.href ? null : target
    } catch {
      return null // A refused refresh is not followed: the page in hand is the result.
    }
  }
  return null
}

function resolveHop(text: string, from: Target, policy: Policy): Target {
  try {
    if (text.length > MAX_LENGTH) throw new RangeError('too long')
    return checkTarget(new URL(text, from.url), policy)
  } catch (cause) {
    throw new ScanError('redirect_refused', { cause })
  }
}
