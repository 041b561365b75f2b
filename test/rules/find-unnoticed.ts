import type { RuleKind } from '../../src/engine/rule/types.ts'
import type { CheckedRule } from '../../src/rules/checks/rule-checks.ts'
import { listMutants } from './rule-mutants.ts'
import { drawRules, isNoticed, places, runOwnTest } from './rule-trial.ts'

/** Of this many rules, one is judged. */
const SHARE = 3

/**
 * Lists the changes of one letter that the tests of rules do not detect: none if they are complete.
 * @param kind the rules that are changed
 * @param share of these rules, one of two halves by their number
 */
export function findUnnoticed(kind: RuleKind, share: 'even' | 'odd'): string[] {
  const rules = drawRules(SHARE).filter(({ found }) => found.kind === kind)
  if (rules.length === 0) return [`there is no rule of the kind ${kind}`]
  return rules.filter((_, i) => i % 2 === (share === 'odd' ? 1 : 0)).flatMap(findUnnoticedOf)
}

function findUnnoticedOf(rule: CheckedRule): string[] {
  if (rule.source === null) return ['not valid']
  const results = runOwnTest(rule)
  const mutants = listMutants(rule.source, places)
  const unnoticed = mutants.filter(({ source }) => !isNoticed(rule, source, results))
  return unnoticed.map(({ place, was, now }) => `${rule.found.file} ${place}: ${was} → ${now}`)
}
