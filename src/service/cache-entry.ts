import type { CacheEntry } from '../coordination/types.ts'
import { toResult } from '../engine/verdict/result.ts'
import type { Extras } from '../scan/extra-schemas.ts'
import type { LiveScan } from '../scan/scanner.ts'
import { formatExtras } from './stored-extras.ts'

/**
 * Changes whenever an entry gets another field: nodes of two versions that share a cache then do not read each other's
 * entries.
 */
const ENTRY_FORMAT = 4

/** Builds the cache key: format of the entry, version of the rules, number of pages if it is not 1, and normalized URL. */
export function buildCacheKey(url: URL, rulesetVersion: string, pages = 1): string {
  return `${ENTRY_FORMAT} ${rulesetVersion} ${pages === 1 ? '' : `pages=${pages} `}${url.href}`
}

/**
 * How long a result is served whose scripts or style sheets came too late, in milliseconds: the next scan may see more.
 */
export const LATE_CACHE_MS = 300_000

/** Builds the cached form of a scan: all fields and all extras of revision 2, independent of the request that started it. */
export function buildCacheEntry(
  { verdict, infrastructure, timing, meta, details, packages, parts, isLate }: LiveScan,
  at: number,
): CacheEntry {
  const { cached: _, ...result } = toResult(verdict)
  const { evidence, versions, warnings, page } = verdict
  const extras: Extras = { evidence, versions, infrastructure, timing, warnings, meta, page, details, packages }
  return {
    at,
    ...(isLate && { lifeMs: LATE_CACHE_MS }),
    result: JSON.stringify(result),
    extras: formatExtras({ ...extras, ...(parts && { parts }) }),
  }
}
