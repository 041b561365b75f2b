import type { CacheEntry } from '../coordination/types.ts'
import type { Extras } from '../scan/extra-schemas.ts'
import { type LiveExtra, listExtras } from '../scan/extras.ts'
import type { Revision } from './request-state.ts'
import type { ScanResult } from './response-schemas.ts'

interface FormatOptions {
  readonly cached: boolean
  readonly include: readonly LiveExtra[]
  readonly revision: Revision
  /** Categories → their names in revision 1. */
  readonly categories: Readonly<Record<string, string>>
}

/** The beginning of what a stored result says unasked. Text of a page cannot contain it, because JSON escapes quotation marks. */
const UNASKED = '"page":{'

/**
 * Formats a cache entry as a JSON response: the ten fields in order (nine in revision 1), then the requested extras, and in revision 2
 * what came back if it is not the site.
 */
export function formatResult(entry: CacheEntry, { cached, include, revision, categories }: FormatOptions): string {
  // Most responses equal the cached JSON. Parsing and formatting it again would cost as much as the rest of the request.
  if (revision === 2 && include.length === 0 && !entry.result.includes(UNASKED))
    return `${entry.result.slice(0, -1)},"cached":${cached}}`
  const { page, ...stored } = JSON.parse(entry.result) as Omit<ScanResult, 'cached'>
  const result: ScanResult = { ...stored, cached }
  const extras = include.length === 0 ? {} : (JSON.parse(entry.extras ?? '{}') as Partial<Extras>)
  const requested = listExtras(revision)
    .filter((key) => include.includes(key))
    .map((key) => [key, extras[key]])
  if (page !== undefined && revision === 2 && !include.includes('page')) requested.push(['page', page])
  const fields = revision === 1 ? toRevision1(result, categories) : result
  return JSON.stringify({ ...fields, ...Object.fromEntries(requested) })
}

function toRevision1(
  { isAiNative: _, ...result }: ScanResult,
  categories: Readonly<Record<string, string>>,
): Omit<ScanResult, 'isAiNative'> {
  const { category } = result
  return { ...result, category: category === null ? null : (categories[category] ?? category) }
}
