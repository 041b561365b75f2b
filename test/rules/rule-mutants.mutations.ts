import { describe, expect, test } from 'vitest'
import type { CheckedRule } from '../../src/rules/checks/rule-checks.ts'
import { listMutants } from './rule-mutants.ts'
import { checked, isNoticed, places, runOwnTest } from './rule-trial.ts'

function findUnnoticed(rule: CheckedRule): string[] {
  if (rule.source === null) return ['not valid']
  const results = runOwnTest(rule)
  const mutants = listMutants(rule.source, places)
  const unnoticed = mutants.filter(({ source }) => !isNoticed(rule, source, results))
  return unnoticed.map(({ place, was, now }) => `${rule.found.file} ${place}: ${was} → ${now}`)
}

/** Time limit for all rules of one kind. */
const TIMEOUT_MS = 180_000

describe('the tests of a rule notice one letter that changes', () => {
  test.each(['builder', 'hosting', 'technology'])('%s', { timeout: TIMEOUT_MS }, (kind) => {
    const rules = checked.rules.filter(({ found }) => found.kind === kind)
    expect(rules.length).toBeGreaterThan(0)
    expect(rules.flatMap(findUnnoticed)).toEqual([])
  })
})
