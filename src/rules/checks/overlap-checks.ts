import { toList } from '../../engine/rule/clause.ts'
import type { ClauseSource } from '../../engine/rule/types.ts'
import type { Path } from '../../yaml/source-file.ts'
import { buildFinding, type Finding } from '../findings.ts'
import { CLAUSE_KEYS } from '../schema.ts'
import type { CheckedRule } from './rule-checks.ts'
import { findNamespace } from './set-checks.ts'

const RELATIONS = ['implies', 'requires', 'excludes'] as const

interface NamedWord {
  readonly word: string
  /** Place, word and tests: equal for two words that find the same values. */
  readonly meaning: string
  readonly path: Path
}

/**
 * Reports a word that a clause of an unrelated rule also has, with the same tests: every page on which one rule fires would
 * then fire the other. Site types may share words, because only one of them is chosen. Words inside groups are not compared.
 */
export function checkOverlaps(rules: readonly CheckedRule[]): Finding[] {
  const first = new Map<string, CheckedRule>()
  return rules
    .filter(({ found }) => found.kind !== 'site-type')
    .flatMap((rule) =>
      listWords(rule).flatMap(({ word, meaning, path }) => {
        const key = `${findNamespace(rule.found.kind)} ${meaning}`
        const other = first.get(key) ?? rule
        first.set(key, other)
        // Two rules with one slug are reported as such.
        if (other.found.slug === rule.found.slug || areRelated(rule, other)) return []
        const details = { value: word, slug: other.found.slug }
        return [buildFinding('overlap', rule.file.valueAt(path), details)]
      }),
    )
}

function listWords({ source }: CheckedRule): NamedWord[] {
  return (source?.detect ?? []).flatMap((clause, i) => {
    const key = Object.keys(clause).find((name) => !CLAUSE_KEYS.includes(name))
    if (key === undefined) return []
    const rest = formatTests(clause, key)
    return toList<unknown>(clause[key]).map((value, j) => ({
      word: String(value),
      meaning: `${key} ${formatTest(value, clause)} ${rest}`,
      path: Array.isArray(clause[key]) ? ['detect', i, key, j] : ['detect', i, key],
    }))
  })
}

/** Formats the tests of a clause; most clauses have none. */
function formatTests(clause: ClauseSource, key: string): string {
  const names = Object.keys(clause).filter((name) => name !== key && name !== 'weight')
  return names.length === 0 ? '' : JSON.stringify(names.map((name) => [name, formatTest(clause[name], clause)]).sort())
}

function formatTest(value: unknown, clause: ClauseSource): string {
  const texts = Array.isArray(value) ? toList<unknown>(value).map(String).sort().join('\n') : String(value)
  return clause.case === 'exact' ? texts : texts.toLowerCase()
}

/** Whether one of two rules names the other in a relation. */
export function areRelated(a: CheckedRule, b: CheckedRule): boolean {
  const names = (one: CheckedRule, slug: string): boolean =>
    RELATIONS.some((key) => toList<string>(one.source?.[key]).includes(slug))
  return names(a, b.found.slug) || names(b, a.found.slug)
}
