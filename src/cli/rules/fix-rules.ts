import { readFileSync, writeFileSync } from 'node:fs'
import { fixRule } from '../../authoring/fix-rule.ts'
import type { CheckedRules } from '../../rules/load/load.ts'

/** Corrects what needs no decision in rule files, and writes those that change. @returns the names of these files */
export function fixRules(rules: CheckedRules['rules']): string[] {
  return rules.flatMap(({ found, file, findings }) => {
    if (file.data === null || file.findings.length > 0) return []
    const text = readFileSync(found.file, 'utf8')
    const fixed = fixRule(
      text,
      findings.filter(({ code }) => code === 'needless-weight'),
    )
    if (fixed === text) return []
    writeFileSync(found.file, fixed)
    return [found.file]
  })
}
