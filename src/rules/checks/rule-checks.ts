import type { Places } from '../../engine/rule/clause.ts'
import { compileRule } from '../../engine/rule/compile.ts'
import { RuleSyntaxError } from '../../engine/rule/rule-syntax-error.ts'
import type { Categories, ClauseSource, CompiledRule, RuleSource } from '../../engine/rule/types.ts'
import { formatChoice } from '../../yaml/hint.ts'
import type { SchemaValidator } from '../../yaml/schema-validator.ts'
import { SourceFile } from '../../yaml/source-file.ts'
import type { FoundRule } from '../discover.ts'
import { buildFinding, type Finding, lowerForImported } from '../findings.ts'
import type { PatternJudge } from '../patterns/pattern-judge.ts'
import { findPlaceholders, isPlaceholder } from '../placeholders.ts'
import { SLUG } from '../schema.ts'
import { excludeVendorHosts } from '../vendor-hosts.ts'
import { ClauseChecker } from './clause-checks.ts'
import { checkDuplicates } from './duplicate-checks.ts'
import { checkHosts } from './host-checks.ts'
import { isMisplaced, REQUIRED_KEYS, RULE_KEYS } from './rule-keys.ts'
import { checkSources } from './source-checks.ts'
import { checkVendor } from './vendor-checks.ts'

/** Result of checking one rule file. */
export interface CheckedRule {
  readonly found: FoundRule
  readonly file: SourceFile
  readonly findings: readonly Finding[]
  /** null if the rule cannot be compiled. Errors in its sources do not prevent that. */
  readonly source: RuleSource | null
  readonly compiled: CompiledRule | null
}

/** What the check of a rule file found, as a later run can keep it: everything else follows from the file. */
export interface RememberedCheck {
  readonly data: unknown
  readonly syntax: SourceFile['findings']
  readonly findings: readonly Finding[]
  readonly isRejected: boolean
}

/** The data that rule files are checked against. */
export interface CheckContext {
  readonly validator: SchemaValidator
  readonly places: Places
  /** null if categories.yaml cannot be read, which is reported once. */
  readonly categories: Categories | null
  readonly judge: PatternJudge
}

/** Checks one rule file without the others, reports each problem once, and compiles the rule if there is none. */
export function checkRule(found: FoundRule, file: SourceFile, context: CheckContext): CheckedRule {
  const checked = checkFile(found, file, context)
  return isImported(file) ? { ...checked, findings: checked.findings.map(lowerForImported) } : checked
}

/** Whether `rules import` has made a rule. Values are texts until the file is checked against the schema. */
export function isImported({ data }: Pick<SourceFile, 'data'>): boolean {
  return typeof data === 'object' && data !== null && String((data as { imported?: unknown }).imported) === 'true'
}

function checkFile(found: FoundRule, file: SourceFile, context: CheckContext): CheckedRule {
  const findings: Finding[] = [...file.findings]
  const rejected = { found, file, findings, source: null, compiled: null }
  const at = { file: found.file, line: 1, column: 1 }
  if (!SLUG.test(found.slug)) findings.push(buildFinding('bad-slug', at, { value: found.slug }))
  if (file.data === null) return rejected
  const placeholders = findPlaceholders(file)
  // A misplaced key has to be removed, and a placeholder to be replaced, so errors in their values are not reported.
  const problems = context.validator
    .check(file)
    .filter(({ path }) => !isMisplaced(String(path[0]), found.kind) && !placeholders.paths.has(JSON.stringify(path)))
    .filter(({ path }) => !(path.length === 1 && path[0] === 'detect' && isNamedByOthers(file)))
  findings.push(...placeholders.findings, ...problems.map(({ finding }) => finding))
  const data = file.data as Readonly<Record<string, unknown>>
  if (typeof data === 'object' && !Array.isArray(data)) {
    const meant = problems.flatMap((problem) => problem.meant ?? [])
    findings.push(...checkKeys({ found, file, data, categories: context.categories, meant }))
    const rejectedPaths = problems.map(({ path }) => JSON.stringify(path))
    const checker = new ClauseChecker(found, file, { ...context, rejected: rejectedPaths })
    for (const [i, clause] of (Array.isArray(data.detect) ? (data.detect as ClauseSource[]) : []).entries())
      if (typeof clause === 'object') checker.check(clause, ['detect', i])
    findings.push(...checker.findings, ...checkDuplicates(file, data.detect, ['detect']))
  }
  if (findings.map(isImported(file) ? lowerForImported : (one) => one).some(isError)) return rejected
  const source = readSource(found, data)
  // Errors in where the facts come from, and in which sites a clause accepts, do not change what the rule detects.
  findings.push(
    ...checkSources(file, data.source),
    ...checkHosts(file, source, context.places),
    ...checkVendor(file, source),
  )
  try {
    return { found, file, findings, source, compiled: compileRule(source, context.places, excludeVendorHosts(source)) }
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error
    return {
      ...rejected,
      findings: [...findings, buildFinding('empty-rule', file.keyAt(['detect']), { reason: error.message })],
    }
  }
}

/** Whether an imported rule has no clauses of its own, because only rules that imply it name it. */
function isNamedByOthers(file: SourceFile): boolean {
  const { detect } = (file.data ?? {}) as { detect?: unknown }
  return isImported(file) && Array.isArray(detect) && detect.length === 0
}

/** Reads what the data of a valid rule file and its path say. */
function readSource(found: FoundRule, data: Readonly<Record<string, unknown>>): RuleSource {
  return {
    ...data,
    source: [data.source ?? []].flat(),
    verified: data.verified ?? '',
    kind: found.kind,
    slug: found.slug,
    ...(found.category && { category: found.category }),
  } as unknown as RuleSource
}

/** Describes a checked rule for a later run. */
export function toKnown({ file, findings, source }: CheckedRule): RememberedCheck {
  return { data: file.data, syntax: file.findings, findings, isRejected: source === null }
}

/** Restores a rule that an earlier run has checked. */
export function fromKnown(found: FoundRule, known: RememberedCheck, places: Places): CheckedRule {
  const { data, syntax, findings, isRejected } = known
  const file = new SourceFile(found.file, { known: { data, findings: syntax }, document: 'first' })
  return new KnownRule(found, file, { findings, isRejected, places })
}

/** A rule that an earlier run has checked. Most are not looked at, so what follows from the data is computed when it is asked for. */
class KnownRule implements CheckedRule {
  readonly found: FoundRule
  readonly file: SourceFile
  readonly findings: readonly Finding[]
  readonly #isRejected: boolean
  readonly #places: Places
  #source: RuleSource | undefined
  #compiled: CompiledRule | undefined

  constructor(
    found: FoundRule,
    file: SourceFile,
    { findings, isRejected, places }: Pick<RememberedCheck, 'findings' | 'isRejected'> & { readonly places: Places },
  ) {
    this.found = found
    this.file = file
    this.findings = findings
    this.#isRejected = isRejected
    this.#places = places
  }

  get source(): RuleSource | null {
    if (this.#isRejected) return null
    this.#source ??= readSource(this.found, this.file.data as Readonly<Record<string, unknown>>)
    return this.#source
  }

  get compiled(): CompiledRule | null {
    const { source } = this
    if (source === null) return null
    this.#compiled ??= compileRule(source, this.#places, excludeVendorHosts(source))
    return this.#compiled
  }
}

function isError({ level }: Finding): boolean {
  return level === 'error'
}

interface KeysToCheck {
  readonly found: FoundRule
  readonly file: SourceFile
  readonly data: Readonly<Record<string, unknown>>
  readonly categories: Categories | null
  /** Pointers of required keys that the file misspells. */
  readonly meant: readonly string[]
}

function checkKeys({ found, file, data, categories, meant }: KeysToCheck): Finding[] {
  const findings: Finding[] = []
  for (const [key, kinds] of Object.entries(RULE_KEYS)) {
    if (!(key in data) || !isMisplaced(key, found.kind)) continue
    const owner = `a ${kinds.join(' or ')} rule`
    findings.push(buildFinding('misplaced-key', file.keyAt([key]), { key, owner, kind: `a ${found.kind} rule` }))
  }
  for (const key of isImported(file) ? [] : REQUIRED_KEYS[found.kind])
    if (!(key in data) && !meant.includes(`/${key}`))
      findings.push(buildFinding('missing-key', file.valueAt([]), { key }))
  const category = found.kind === 'builder' ? data.category : found.category
  const list = found.kind === 'builder' ? 'builder' : 'technology'
  if (categories === null) return findings
  const known = Object.keys(list === 'builder' ? categories.builders : categories.technologies)
  if (typeof category === 'string' && category !== '' && !isPlaceholder(category) && !known.includes(category)) {
    const at = found.kind === 'builder' ? file.valueAt(['category']) : { file: found.file, line: 1, column: 1 }
    findings.push(
      buildFinding('bad-category', at, {
        value: category,
        list,
        hint: formatChoice(category, known, ';'),
      }),
    )
  }
  return findings
}
