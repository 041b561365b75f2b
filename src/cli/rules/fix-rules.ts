import { readFileSync, writeFileSync } from 'node:fs'
import { fixRule } from '../../authoring/fix-rule.ts'
import type { CheckedRules } from '../../rules/load/load.ts'
import { splitDocuments } from '../../yaml/documents.ts'

/** Corrects what needs no decision in rule files, and writes those that change. @returns the names of these files */
export function fixRules(rules: CheckedRules['rules']): string[] {
  return rules.flatMap(({ found, file, findings }) => {
    if (file.data === null || file.findings.length > 0) return []
    const text = readFileSync(found.file, 'utf8')
    const { first: rule } = splitDocuments(text)
    const fixed = fixRule(
      rule,
      findings.filter(({ code }) => code === 'needless-weight'),
    )
    if (fixed === rule) return []
    writeFileSync(found.file, fixed + text.slice(rule.length))
    return [found.file]
  })
}
