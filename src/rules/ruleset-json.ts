import type { RulesetContent } from '../engine/lookup/ruleset.ts'
import { exportRules, importRule, type PortableRule } from '../engine/rule/portable-rule.ts'
import { RULESET_FORMAT } from './ruleset-format.ts'

/** A compiled ruleset as plain JSON, which other languages can run, and which released rulesets contain. */
export interface PortableRuleset extends Omit<RulesetContent, 'rules'> {
  readonly format: typeof RULESET_FORMAT
  readonly rules: readonly PortableRule[]
}

export function exportRuleset({ version, categories, rules }: RulesetContent): PortableRuleset {
  return { format: RULESET_FORMAT, version, categories, rules: exportRules(rules) }
}

/** Takes from a portable ruleset what this engine evaluates. */
export function importRuleset({ version, categories, rules }: PortableRuleset): RulesetContent {
  return { version, categories, rules: rules.map(importRule) }
}

/** Whether data has the form of a portable ruleset. */
export function hasRulesetForm(data: Partial<PortableRuleset> | null): data is PortableRuleset {
  if (typeof data?.categories !== 'object' || data.categories === null || !Array.isArray(data.rules)) return false
  return data.rules.every(
    (rule: Partial<PortableRule> | null) =>
      Array.isArray(rule?.clauses) && Array.isArray(rule.leaves) && Array.isArray(rule.typeClauses ?? []),
  )
}
