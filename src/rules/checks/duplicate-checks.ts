import { toList } from '../../engine/rule/clause.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import type { Path, SourceFile } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'
import { GROUPS } from '../schema.ts'

/** Finds clauses that mean the same as an earlier clause of their list, even if written differently: both would count. */
export function checkDuplicates(file: SourceFile, clauses: unknown, path: Path): Finding[] {
  if (!Array.isArray(clauses)) return []
  const first = new Map<string, number>()
  return clauses.flatMap((clause: unknown, i) => {
    if (!isClause(clause)) return []
    const here = [...path, i]
    const meaning = clauses.length > 1 ? formatMeaning(clause) : ''
    const earlier = first.get(meaning)
    if (earlier !== undefined) {
      const { line } = file.valueAt([...path, earlier])
      return [buildFinding('duplicate-clause', file.valueAt(here), { line })]
    }
    first.set(meaning, i)
    return checkInside(file, clause, here)
  })
}

function checkInside(file: SourceFile, clause: ClauseSource, path: Path): Finding[] {
  if (isClause(clause.not)) return checkInside(file, clause.not, [...path, 'not'])
  return GROUPS.flatMap((key) => (key in clause ? checkDuplicates(file, clause[key], [...path, key]) : []))
}

function isClause(value: unknown): value is ClauseSource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Normal form of a clause: without its weight, sorted, and in lower case where case does not matter. */
function formatMeaning(clause: ClauseSource): string {
  const keys = Object.keys(clause).filter((key) => key !== 'weight')
  return JSON.stringify(keys.sort().map((key) => [key, formatValues(clause, key)]))
}

function formatValues(clause: ClauseSource, key: string): string[] {
  const isExact = clause.case === 'exact' || key === 'match'
  const values = toList<unknown>(clause[key]).map((value) => {
    if (isClause(value)) return formatMeaning(value)
    return isExact ? String(value) : String(value).toLowerCase()
  })
  return [...new Set(values)].sort()
}
