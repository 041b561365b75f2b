import { isDeepStrictEqual } from 'node:util'
import { splitSelector } from '../../engine/rule/selector.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import type { ImportedClause } from './build-clauses.ts'
import { listValues } from './read-fingerprints.ts'

/** The sum of confidences from which on a technology is named. */
const NAMED = 50
/** Clauses in which a list of words means the same as several clauses. */
const WHOLE = 100

/**
 * Arranges the clauses of a rule as a person would write them: repeated ones once, those that differ in one word as a list, and clauses
 * of low confidence also as a group that holds if their sum is enough.
 */
export function mergeClauses(imported: readonly ImportedClause[]): ClauseSource[] {
  const merged: { clause: ClauseSource; confidence: number }[] = []
  for (const one of imported) {
    if (merged.some(({ clause }) => isDeepStrictEqual(clause, one.clause))) continue
    const at =
      one.confidence < WHOLE
        ? -1
        : merged.findIndex((other) => other.confidence >= WHOLE && join(other.clause, one.clause) !== null)
    if (at < 0) merged.push({ ...one })
    else merged[at].clause = join(merged[at].clause, one.clause) as ClauseSource
  }
  return [...merged.map(({ clause }) => clause), ...groupLow(merged)]
}

/** Joins two clauses that differ in one list of words; null if they differ in more. */
function join(a: ClauseSource, b: ClauseSource): ClauseSource | null {
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length || !keys.every((key) => key in b)) return null
  if (['match', 'any', 'version', 'versionText'].some((key) => key in a)) return null
  const different = keys.filter((key) => !isDeepStrictEqual(a[key], b[key]))
  if (different.length !== 1 || different[0] === 'weight' || different[0] === 'attr') return null
  const [key] = different
  if (key === 'element')
    return { ...a, element: [...new Set([a, b].flatMap((one) => splitSelector(String(one.element))))].join(', ') }
  // A word of a list and its tests are independent: only one of them may be a list.
  return { ...a, [key]: [...new Set([...listValues(a[key]), ...listValues(b[key])])] }
}

/** Builds the group of the clauses that alone are not enough, if enough of them together are. */
function groupLow(clauses: readonly ImportedClause[]): ClauseSource[] {
  const low = clauses.filter(({ confidence }) => confidence > 0 && confidence < NAMED)
  const sorted = low.map(({ confidence }) => confidence).sort((a, b) => a - b)
  let sum = 0
  const needed = sorted.findIndex((confidence) => (sum += confidence) >= NAMED) + 1
  if (needed < 2) return []
  const of = low.map(({ clause: { weight: _, ...clause } }) => clause)
  return [{ atLeast: needed, of, weight: 'medium' }]
}
