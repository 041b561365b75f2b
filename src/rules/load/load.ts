import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Detector } from '../../engine/page/detector.ts'
import { FOUND, indexPlaces, type Places } from '../../engine/rule/clause.ts'
import type { Categories } from '../../engine/rule/types.ts'
import { splitDocuments } from '../../yaml/documents.ts'
import { formatHint } from '../../yaml/hint.ts'
import { SchemaValidator } from '../../yaml/schema-validator.ts'
import { SourceFile } from '../../yaml/source-file.ts'
import { isPackaged, openBuiltFile, ownFolder } from '../built.ts'
import { checkOverlaps } from '../checks/overlap-checks.ts'
import {
  type CheckContext,
  type CheckedRule,
  checkRule,
  fromKnown,
  isImported,
  type RememberedCheck,
  toKnown,
} from '../checks/rule-checks.ts'
import { checkSet } from '../checks/set-checks.ts'
import { checkVerified } from '../checks/source-checks.ts'
import { type CategoriesData, categoriesSchema } from '../data-schemas.ts'
import { discoverRules, type FoundRule } from '../discover.ts'
import { buildFinding, type Finding, lowerForImported, RulesetError } from '../findings.ts'
import { FOREIGN_KEYS } from '../foreign-keys.ts'
import { listNames } from '../own-names.ts'
import { PatternJudge } from '../patterns/pattern-judge.ts'
import { buildRuleSchema } from '../schema.ts'
import { readBuiltRules } from './built-rules.ts'
import { findUnknownNames, provesItself } from './derived-fixtures.ts'
import type { FileMemory } from './file-memory.ts'

/** Checked rules of one or more folders. The linter and the loader share them: a rule that lints also loads. */
export interface CheckedRules {
  readonly rules: readonly CheckedRule[]
  readonly categories: Categories
  readonly places: Places
  readonly findings: readonly Finding[]
  /** Number of patterns that were not checked because the time limit had passed. */
  readonly unjudged: number
}

/** Rule folders to check, and the detectors that their rules may use. */
export interface RuleFolders {
  /** The first folder has a categories.yaml. Other folders without one use that. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Time limit for checking patterns, in milliseconds; no limit if absent. */
  readonly timeoutMs?: number
  /**
   * Absolute paths of rules that are checked against all others: a finding about two rules, of which either could be changed, is one
   * of these.
   */
  readonly last?: ReadonlySet<string>
  /** What earlier runs know of files; nothing by default. */
  readonly memory?: FileMemory
}

const categoriesValidator = new SchemaValidator(categoriesSchema)

/** The schema that was compiled last: compiling it takes as long as checking a hundred rules. It depends on the places only. */
let compiled: { readonly schema: string; readonly validator: SchemaValidator } | undefined

function compileRuleSchema(detectors: readonly Detector[]): SchemaValidator {
  const schema = buildRuleSchema([...detectors, FOUND])
  const text = JSON.stringify(schema)
  if (compiled?.schema !== text)
    compiled = { schema: text, validator: new SchemaValidator(schema, { foreignKeys: FOREIGN_KEYS }) }
  return compiled.validator
}

/** Reads and checks every rule below the folders. Problems are returned as findings and never thrown. */
export function checkFolders({ folders, detectors, timeoutMs, last, memory }: RuleFolders): CheckedRules {
  const judge = new PatternJudge(timeoutMs === undefined ? {} : { timeoutMs })
  const places = indexPlaces(detectors)
  const validator = compileRuleSchema(detectors)
  const findings: Finding[] = []
  const rules: CheckedRule[] = []
  let base: Categories | null = { builders: {}, technologies: {} }
  let all: Categories = { builders: {}, technologies: {} }
  for (const folder of folders) {
    if (folder === ownFolder && isPackaged()) {
      const built = readBuiltRules(openBuiltFile(), places)
      rules.push(...built.rules)
      base = all = built.categories
      continue
    }
    if (!existsSync(folder)) {
      const reason = 'the folder does not exist'
      findings.push(buildFinding('stray-file', { file: folder, line: 1, column: 1 }, { reason }))
      continue
    }
    const found = discoverRules(folder)
    findings.push(...found.findings)
    const categories: Categories | null =
      found.categoriesFile === null ? base : readCategories(found.categoriesFile, findings)
    if (folder === folders[0]) base = categories
    all = {
      ...categories,
      ...all,
      builders: { ...categories?.builders, ...all.builders },
      technologies: { ...categories?.technologies, ...all.technologies },
    }
    for (const rule of found.rules) rules.push(checkOne(rule, { validator, places, categories, judge }, memory))
  }
  judge.close()
  if (last !== undefined)
    rules.sort((a, b) => Number(last.has(resolve(a.found.file))) - Number(last.has(resolve(b.found.file))))
  // What imported rules share with others is reported at the imported ones.
  rules.sort((a, b) => Number(isImported(a.file)) - Number(isImported(b.file)))
  findings.push(...rules.flatMap((rule) => rule.findings))
  findings.push(...lowerImported([...checkSet(rules, all), ...checkOverlaps(rules)], rules))
  return { rules, categories: all, places, findings, unjudged: judge.unjudged.size }
}

/** Lowers findings about imported rules. */
export function lowerImported(findings: readonly Finding[], rules: readonly CheckedRule[]): readonly Finding[] {
  const files = new Set(rules.flatMap(({ file, found }) => (isImported(file) ? [found.file, found.testFile] : [])))
  return files.size === 0 ? findings : findings.map((one) => (files.has(one.file) ? lowerForImported(one) : one))
}

function checkOne(found: FoundRule, context: CheckContext, memory: FileMemory | undefined): CheckedRule {
  const check = (): CheckedRule => {
    const content = readFileSync(found.file)
    const rule = checkRule(found, new SourceFile(found.file, { content, document: 'first' }), context)
    const hasOwnTests = splitDocuments(content.toString()).second !== null
    const more = hasOwnTests ? checkTestsOnce(found) : found.hasTest ? [] : checkWithoutTest(rule, context.places)
    return { ...rule, findings: [...rule.findings, ...lowerImported(more, [rule])] }
  }
  if (memory === undefined) return check()
  let checked: CheckedRule | undefined
  const known = memory.recall(found, 'rule', () => {
    checked = check()
    return toKnown(checked)
  })
  return checked ?? fromKnown(found, known, context.places)
}

/** Restores rules that an earlier run has checked without errors. Returns null if it has not checked all of them. */
export function recallRules(
  found: readonly FoundRule[],
  places: Places,
  memory: FileMemory,
): readonly CheckedRule[] | null {
  const rules = found.flatMap((one) => {
    const known = memory.find<RememberedCheck>(one, 'rule')
    return known === undefined ? [] : fromKnown(one, known, places)
  })
  return rules.length === found.length ? rules : null
}

/** Reports the test file of a rule whose own file has tests, too. */
function checkTestsOnce({ hasTest, file, testFile }: FoundRule): Finding[] {
  const reason = `${file} has tests, too: move these hits and misses to it, or its own to this file`
  return hasTest ? [buildFinding('stray-file', { file: testFile, line: 1, column: 1 }, { reason })] : []
}

/** The name of a package with its scope, or the name of an extension without its system. */
function findLastName(word: string): string {
  return word.startsWith('@') ? word : word.slice(word.lastIndexOf('/') + 1)
}

/** Reports what a rule without a test file cannot prove by itself. */
function checkWithoutTest({ found, file, source }: CheckedRule, places: Places): Finding[] {
  if (source !== null && provesItself(source, places)) return []
  const test = found.testFile.split(/[/\\]/).at(-1) ?? ''
  const unknown = source === null ? [] : findUnknownNames(source, places)
  if (source === null || unknown.length === 0)
    return [buildFinding('missing-test', { file: found.file, line: 1, column: 1 }, { file: test })]
  const known = [...listNames(source).parts]
  return unknown.map(({ path, word }) =>
    buildFinding('unknown-name', file.valueAt(path), {
      value: word,
      file: test,
      hint: formatHint(findLastName(word), known),
    }),
  )
}

function readCategories(categoriesFile: string, findings: Finding[]): Categories | null {
  const file = new SourceFile(categoriesFile)
  const found: Finding[] = [...file.findings]
  if (file.data !== null) found.push(...categoriesValidator.check(file).map(({ finding }) => finding))
  findings.push(...found)
  return found.length > 0 ? null : (file.data as CategoriesData)
}

/** @throws RulesetError with every error if there is at least one */
export function throwOnErrors(findings: readonly Finding[]): void {
  const errors = findings.filter(({ level }) => level === 'error')
  if (errors.length > 0) throw new RulesetError(errors)
}

/**
 * Finds rules whose `verified` is in the future or long ago. Only the linter does so: a ruleset must not stop loading because
 * of the day, or because the clock of a machine is wrong.
 */
export function checkDates({ rules }: CheckedRules, now: Date): Finding[] {
  const files = rules.map(({ file }) => file)
  return checkVerified(files, now)
}
