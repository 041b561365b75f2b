import type { CacheEntry } from '../coordination/types.ts'
import { LIVE_EXTRAS, type LiveExtra, type LiveScan, toLiveResult } from '../scan/scanner.ts'
import type { Revision } from './parts.ts'

/** Under which a result is kept: the URL as parsing left it, and the rules it was made with. */
export function entryKeyOf(url: URL, rulesVersion: string): string {
  return `${rulesVersion} ${url.href}`
}

/** What is kept of a scan: all of it, in the words of the later revision, whatever was asked for. */
export function buildEntry(scan: LiveScan, at: number): CacheEntry {
  const { evidence, versions, infrastructure, timing, warnings, cached: _, ...result } = toLiveResult(scan, LIVE_EXTRAS)
  return {
    at,
    result: JSON.stringify(result),
    extras: JSON.stringify({ evidence, versions, infrastructure, timing, warnings }),
  }
}

interface AnswerOptions {
  readonly cached: boolean
  readonly include: readonly LiveExtra[]
  readonly revision: Revision
  /** Categories → their names in revision 1. */
  readonly categories: Readonly<Record<string, string>>
}

/** The answer of an entry, in JSON: the ten fields (nine in revision 1) in their order, then what was asked for. */
export function answerOf(entry: CacheEntry, { cached, include, revision, categories }: AnswerOptions): string {
  // Most answers are what is kept: to read it and write it again would cost as much as all else that is done for one.
  if (revision === 2 && include.length === 0) return `${entry.result.slice(0, -1)},"cached":${cached}}`
  const result = { ...(JSON.parse(entry.result) as Record<string, unknown>), cached }
  const extras = include.length === 0 ? {} : (JSON.parse(entry.extras ?? '{}') as Record<string, unknown>)
  const asked = LIVE_EXTRAS.filter((key) => include.includes(key)).map((key) => [key, extras[key]])
  const answer = revision === 1 ? inRevision1(result, categories) : result
  return JSON.stringify({ ...answer, ...Object.fromEntries(asked) })
}

function inRevision1(
  { isAiNative: _, ...result }: Record<string, unknown>,
  categories: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { category } = result
  return { ...result, category: typeof category === 'string' ? (categories[category] ?? category) : null }
}
