import type { CacheEntry } from '../coordination/types.ts'
import { toResult } from '../engine/verdict/result.ts'
import type { Extras } from '../scan/extra-schemas.ts'
import type { RenderMode } from '../scan/render-modes.ts'
import type { LiveScan } from '../scan/scanner.ts'
import { formatExtras } from './stored-extras.ts'

/**
 * Changes whenever an entry gets another field: nodes of two versions that share a cache then do not read each other's
 * entries.
 */
const ENTRY_FORMAT = 4

/** What a scan reads of a site, as far as its result depends on it. */
export interface ScanExtent {
  /** How many pages of the site are read; 1 by default. */
  readonly pages?: number | undefined
  /** Whether a browser renders the page; `never` by default. */
  readonly render?: RenderMode | undefined
}

/** Builds the cache key: format of the entry, version of the rules, what is read if it is not one page as fetched, and normalized URL. */
export function buildCacheKey(
  url: URL,
  rulesetVersion: string,
  { pages = 1, render = 'never' }: ScanExtent = {},
): string {
  const extent = `${pages === 1 ? '' : `pages=${pages} `}${render === 'never' ? '' : `render=${render} `}`
  return `${ENTRY_FORMAT} ${rulesetVersion} ${extent}${url.href}`
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
