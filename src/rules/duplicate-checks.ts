import { toList } from '../engine/rule/clause.ts'
import type { ClauseSource } from '../engine/rule/types.ts'
import type { Path, SourceFile } from '../yaml/source-file.ts'
import { type Finding, finding } from './findings.ts'
import { GROUPS } from './schema.ts'

/** Finds clauses that say what one before them in the same list says, however that is written: both would count. */
export function checkDuplicates(file: SourceFile, clauses: unknown, path: Path): Finding[] {
  if (!Array.isArray(clauses)) return []
  const first = new Map<string, number>()
  return clauses.flatMap((clause: unknown, i) => {
    if (!isClause(clause)) return []
    const here = [...path, i]
    const meaning = meaningOf(clause)
    const { line } = file.valueAt([...path, first.get(meaning) ?? i])
    if (first.has(meaning)) return [finding('duplicate-clause', file.valueAt(here), { line })]
    first.set(meaning, i)
    return inside(file, clause, here)
  })
}

function inside(file: SourceFile, clause: ClauseSource, path: Path): Finding[] {
  if (isClause(clause.not)) return inside(file, clause.not, [...path, 'not'])
  return GROUPS.flatMap((key) => checkDuplicates(file, clause[key], [...path, key]))
}

function isClause(value: unknown): value is ClauseSource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a clause asks for: no weight, no order, and no capitals where they do not matter. */
function meaningOf(clause: ClauseSource): string {
  const keys = Object.keys(clause).filter((key) => key !== 'weight')
  return JSON.stringify(keys.sort().map((key) => [key, valuesOf(clause, key)]))
}

function valuesOf(clause: ClauseSource, key: string): string[] {
  const isWritten = clause.case === 'exact' || key === 'match'
  const values = toList<unknown>(clause[key]).map((value) => {
    if (isClause(value)) return meaningOf(value)
    return isWritten ? String(value) : String(value).toLowerCase()
  })
  return [...new Set(values)].sort()
}
