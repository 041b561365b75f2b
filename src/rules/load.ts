import { existsSync } from 'node:fs'
import type { Detector } from '../engine/page/detector.ts'
import { FOUND, indexPlaces } from '../engine/rule/clause.ts'
import type { Categories } from '../engine/rule/types.ts'
import { SourceFile } from '../yaml/source-file.ts'
import { discoverRules, type FoundFolder } from './discover.ts'
import { type Finding, finding, RulesetError } from './findings.ts'
import { PatternJudge } from './patterns/pattern-judge.ts'
import { type CheckedRule, type Checks, checkRule } from './rule-checks.ts'
import { buildRuleSchema, categoriesSchema } from './schema.ts'
import { checkSet } from './set-checks.ts'
import { Validator } from './validate.ts'

/** Rules of one or more folders, checked: what lints is what loads. */
export interface CheckedRules {
  readonly rules: readonly CheckedRule[]
  readonly categories: Categories
  readonly findings: readonly Finding[]
  /** How many patterns were not judged, because the time was used up. */
  readonly unjudged: number
}

/** What to read. */
export interface RuleFolders {
  /** The first one has a categories.yaml; another folder without one uses that. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Milliseconds for judging patterns; without a limit when absent. */
  readonly timeoutMs?: number
}

/** Reads and checks every rule below the folders. Faults are findings, never exceptions. */
export function checkFolders({ folders, detectors, timeoutMs }: RuleFolders): CheckedRules {
  const judge = new PatternJudge(timeoutMs === undefined ? {} : { timeoutMs })
  const places = indexPlaces(detectors)
  const validator = new Validator(buildRuleSchema([...detectors, FOUND]))
  const findings: Finding[] = []
  const rules: CheckedRule[] = []
  let base: Categories | null = { builders: {}, technologies: {} }
  const all: { builders: Categories['builders']; technologies: Categories['technologies'] } = {
    builders: {},
    technologies: {},
  }
  for (const folder of folders) {
    if (!existsSync(folder)) {
      findings.push(finding('stray-file', { file: folder, line: 1, column: 1 }, { reason: 'there is no such folder' }))
      continue
    }
    const found = discoverRules(folder)
    findings.push(...found.findings)
    const categories: Categories | null =
      found.categoriesFile === null ? base : readCategories(found.categoriesFile, findings)
    if (folder === folders[0]) base = categories
    all.builders = { ...categories?.builders, ...all.builders }
    all.technologies = { ...categories?.technologies, ...all.technologies }
    for (const rule of found.rules) rules.push(checkOne(rule, { validator, places, categories, judge }))
  }
  judge.close()
  findings.push(...rules.flatMap((rule) => rule.findings), ...checkSet(rules))
  return { rules, categories: all, findings, unjudged: judge.unjudged.size }
}

function checkOne(found: FoundFolder['rules'][number], checks: Checks): CheckedRule {
  const rule = checkRule(found, new SourceFile(found.file), checks)
  if (found.hasTest) return rule
  const missing = finding(
    'missing-test',
    { file: found.file, line: 1, column: 1 },
    { file: found.testFile.split(/[/\\]/).at(-1) ?? '' },
  )
  return { ...rule, findings: [...rule.findings, missing] }
}

function readCategories(categoriesFile: string, findings: Finding[]): Categories | null {
  const file = new SourceFile(categoriesFile)
  const faults = [
    ...file.findings,
    ...(file.data === null ? [] : new Validator(categoriesSchema).check(file).map((fault) => fault.finding)),
  ]
  findings.push(...faults)
  return faults.length > 0 ? null : (file.data as Categories)
}

/** @throws RulesetError with every finding when there is an error among them */
export function refuseErrors(findings: readonly Finding[]): void {
  if (findings.some(({ level }) => level === 'error')) throw new RulesetError(findings)
}
