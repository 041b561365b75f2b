import { toList } from '../../engine/rule/clause.ts'
import type { SourceFile } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'

/** Addresses of searches. Their results change, and they show what others wrote, not what the vendor documents. */
const SEARCHES =
  /^https?:\/\/(?:github\.com\/(?:.*\/)?search\b|(?:www\.)?(?:google|bing|duckduckgo)\.\w+\/(?:search|\?q)|grep\.app\/|sourcegraph\.com\/search|searchcode\.com\/|publicwww\.com\/)/i

/** Reports sources that are searches and therefore no evidence. */
export function checkSources(file: SourceFile, source: unknown): Finding[] {
  return toList<unknown>(source).flatMap((url, i) => {
    if (!SEARCHES.test(String(url))) return []
    return [buildFinding('weak-source', file.valueAt(Array.isArray(source) ? ['source', i] : ['source']))]
  })
}

/** A rule whose evidence is older than this may describe a product that has changed. */
const STALE_MONTHS = 18
/** The day begins this much earlier in the easternmost time zone than in UTC. */
const EARLIEST_ZONE_MS = 14 * 3_600_000

/** Reports each `verified` that lies in the future, or too far in the past. */
export function checkVerified(files: readonly SourceFile[], now: Date): Finding[] {
  const last = formatDay(new Date(now.getTime() + EARLIEST_ZONE_MS))
  const stale = new Date(now)
  stale.setUTCMonth(stale.getUTCMonth() - STALE_MONTHS)
  const first = formatDay(stale)
  const isDate = new Map<string, boolean>() // Few days are the dates of all rules.
  return files.flatMap((file) => {
    const value = file.textAt(['verified'])
    if (first <= value && value <= last && isDate.get(value)) return []
    isDate.set(value, isDay(value))
    if (!isDate.get(value) || (first <= value && value <= last)) return []
    const at = file.valueAt(['verified'])
    if (value > last) return [buildFinding('future-verified', at, { value })]
    return [buildFinding('stale', at, { value, months: STALE_MONTHS })]
  })
}

/** Whether a text is a day that exists. The schema reports all others. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && formatDay(day) === text
}

function formatDay(day: Date): string {
  return day.toISOString().slice(0, 10)
}
