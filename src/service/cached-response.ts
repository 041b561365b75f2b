import type { CacheEntry } from '../coordination/types.ts'
import { type LiveExtra, listExtras } from '../scan/extras.ts'
import type { Revision } from './request-state.ts'
import type { ScanResult } from './response-schemas.ts'
import { readExtras } from './stored-extras.ts'

export interface FormatOptions {
  readonly cached: boolean
  readonly include: readonly LiveExtra[]
  readonly revision: Revision
  /** How many pages were asked for; with more than 1, the response has `parts`. */
  readonly pages?: number
  /** Categories → their names in revision 1. */
  readonly categories: Readonly<Record<string, string>>
}

/** The beginning of what a stored result says unasked. Text of a page cannot contain it, because JSON escapes quotation marks. */
const UNASKED = '"page":{'

/**
 * Formats a cache entry as a JSON response: the ten fields in order (nine in revision 1), then the requested extras, and in revision 2
 * what came back if it is not the site.
 */
export function formatResult(
  entry: CacheEntry,
  { cached, include, revision, pages = 1, categories }: FormatOptions,
): string {
  const isUnasked = revision === 2 && entry.result.includes(UNASKED)
  const extras = listExtras(revision).filter((extra) => include.includes(extra) || (isUnasked && extra === 'page'))
  const wanted = pages > 1 ? (['parts', ...extras] as const) : extras
  // Most results are sent as they are stored. Parsing and formatting them again would cost as much as the rest of the request.
  if (revision === 2 && !isUnasked)
    return `${entry.result.slice(0, -1)},"cached":${cached}${readExtras(entry.extras, wanted)}}`
  const { page, ...stored } = JSON.parse(entry.result) as Omit<ScanResult, 'cached'>
  const result: ScanResult = { ...stored, cached }
  const fields = JSON.stringify(revision === 1 ? toRevision1(result, categories) : result)
  // The extras are read with the entry only if the request asks for some.
  const unasked = isUnasked ? `,"page":${JSON.stringify(page)}` : ''
  return `${fields.slice(0, -1)}${include.length === 0 && pages === 1 ? unasked : readExtras(entry.extras, wanted)}}`
}

function toRevision1(
  { isAiNative: _, ...result }: ScanResult,
  categories: Readonly<Record<string, string>>,
): Omit<ScanResult, 'isAiNative'> {
  const { category } = result
  return { ...result, category: category === null ? null : (categories[category] ?? category) }
}
