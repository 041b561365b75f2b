import type { Places } from '../engine/rule/clause.ts'
import { compileRule } from '../engine/rule/compile.ts'
import { RuleSyntaxError } from '../engine/rule/rule-syntax-error.ts'
import type { Categories, ClauseSource, CompiledRule, RuleSource } from '../engine/rule/types.ts'
import type { SourceFile } from '../yaml/source-file.ts'
import { ClauseChecker } from './clause-checks.ts'
import type { FoundRule } from './discover.ts'
import { checkDuplicates } from './duplicate-checks.ts'
import { type Finding, finding } from './findings.ts'
import { hint } from './hint.ts'
import type { PatternJudge } from './patterns/pattern-judge.ts'
import { isMisplaced, RULE_KEYS } from './rule-keys.ts'
import { SLUG } from './schema.ts'
import type { Validator } from './validate.ts'

/** What one rule file came to. */
export interface CheckedRule {
  readonly found: FoundRule
  readonly file: SourceFile
  readonly findings: readonly Finding[]
  /** null when there are findings. */
  readonly source: RuleSource | null
  readonly compiled: CompiledRule | null
}

/** What rule files are checked against. */
export interface Checks {
  readonly validator: Validator
  readonly places: Places
  /** null where they cannot be read: that is told once. */
  readonly categories: Categories | null
  readonly judge: PatternJudge
}

/** Checks one rule file by itself, every fault once, and compiles it when it has none. */
export function checkRule(found: FoundRule, file: SourceFile, checks: Checks): CheckedRule {
  const findings = [...file.findings]
  const refused = { found, file, findings, source: null, compiled: null }
  const at = { file: found.file, line: 1, column: 1 }
  if (!SLUG.test(found.slug)) findings.push(finding('bad-slug', at, { value: found.slug }))
  if (file.data === null) return refused
  // What is wrong with a key that must go is of no interest.
  const faults = checks.validator.check(file).filter(({ path }) => !isMisplaced(String(path[0]), found.kind))
  findings.push(...faults.map(({ finding }) => finding))
  const data = file.data as Readonly<Record<string, unknown>>
  if (typeof data === 'object' && !Array.isArray(data)) {
    const meant = faults.flatMap((fault) => fault.meant ?? [])
    findings.push(...checkKeys({ found, file, data, categories: checks.categories, meant }))
    const faulty = faults.map(({ path }) => JSON.stringify(path))
    const checker = new ClauseChecker(found, file, { ...checks, faulty })
    for (const [i, clause] of (Array.isArray(data.detect) ? (data.detect as ClauseSource[]) : []).entries())
      if (typeof clause === 'object') checker.check(clause, ['detect', i])
    findings.push(...checker.findings, ...checkDuplicates(file, data.detect, ['detect']))
  }
  if (findings.length > 0) return refused
  const source = {
    ...data,
    source: [data.source].flat(),
    kind: found.kind,
    slug: found.slug,
    ...(found.category && { category: found.category }),
  } as unknown as RuleSource
  try {
    return { found, file, findings, source, compiled: compileRule(source, checks.places) }
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error
    return { ...refused, findings: [finding('empty-rule', file.keyAt(['detect']), { reason: error.message })] }
  }
}

interface KeysToCheck {
  readonly found: FoundRule
  readonly file: SourceFile
  readonly data: Readonly<Record<string, unknown>>
  readonly categories: Categories | null
  /** Pointers of keys that stand there misspelt. */
  readonly meant: readonly string[]
}

function checkKeys({ found, file, data, categories, meant }: KeysToCheck): Finding[] {
  const findings: Finding[] = []
  for (const [key, kinds] of Object.entries(RULE_KEYS)) {
    if (!(key in data) || !isMisplaced(key, found.kind)) continue
    const owner = `a ${kinds.join(' or ')} rule`
    findings.push(finding('misplaced-key', file.keyAt([key]), { key, owner, kind: `a ${found.kind} rule` }))
  }
  for (const key of found.kind === 'builder'
    ? ['category', 'aiNative', 'website']
    : found.kind === 'site-type'
      ? []
      : ['website'])
    if (!(key in data) && !meant.includes(`/${key}`)) findings.push(finding('missing-key', file.valueAt([]), { key }))
  const category = found.kind === 'builder' ? data.category : found.category
  const list = found.kind === 'builder' ? 'builder' : 'technology'
  if (categories === null) return findings
  const known = Object.keys(list === 'builder' ? categories.builders : categories.technologies)
  if (typeof category === 'string' && category !== '' && !known.includes(category)) {
    const at = found.kind === 'builder' ? file.valueAt(['category']) : { file: found.file, line: 1, column: 1 }
    findings.push(finding('bad-category', at, { value: category, list, hint: hint(category, known) }))
  }
  return findings
}
