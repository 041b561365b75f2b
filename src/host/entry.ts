import { LIVE_EXTRAS, type LiveExtra, type LiveScan, toLiveResult } from '../scan/scanner.ts'
import type { CacheEntry } from '../store/types.ts'
import type { Revision } from './host.ts'

/** Under which a result is kept: the URL as parsing left it, and the rules it was made with. */
export function entryKeyOf(url: URL, rulesVersion: string): string {
  return `${rulesVersion} ${url.href}`
}

/** What is kept of a scan: all of it, in the words of the later revision, whatever was asked for. */
export function buildEntry(scan: LiveScan, at: number): CacheEntry {
  const { evidence, versions, infrastructure, timing, warnings, ...result } = toLiveResult(scan, LIVE_EXTRAS)
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

/** The answer of an entry: the ten fields (nine in revision 1) in their order, then what was asked for. */
export function answerOf(entry: CacheEntry, options: AnswerOptions): Record<string, unknown> {
  const { cached, include, revision, categories } = options
  const result = { ...(JSON.parse(entry.result) as Record<string, unknown>), cached }
  const extras = include.length === 0 ? {} : (JSON.parse(entry.extras ?? '{}') as Record<string, unknown>)
  const asked = LIVE_EXTRAS.filter((key) => include.includes(key)).map((key) => [key, extras[key]])
  return { ...(revision === 1 ? inRevision1(result, categories) : result), ...Object.fromEntries(asked) }
}

function inRevision1(
  { isAiNative: _, ...result }: Record<string, unknown>,
  categories: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const { category } = result
  return { ...result, category: typeof category === 'string' ? (categories[category] ?? category) : null }
}
