import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { RuleSource } from '../../src/engine/rule/types.ts'
import type { CheckedRule } from '../../src/rules/checks/rule-checks.ts'
import { type FixtureResult, readFixtures, runFixture } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load.ts'
import { buildRuleset, ownFolder } from '../../src/rules/open-ruleset.ts'
import { checkProof } from '../../src/rules/proof.ts'
import { listMutants } from './rule-mutants.ts'

const places = indexPlaces(detectors)
const checked = checkFolders({ folders: [ownFolder], detectors })
const ruleset = buildRuleset(checked, detectors, 'test')

/** Whether the tests of a rule notice that it has changed: in what its hits show, or in the verdicts on its pages. */
function isNoticed(rule: CheckedRule, source: RuleSource, results: readonly FixtureResult[]): boolean {
  if (checkProof({ ...rule, source }, results, detectors).length > 0) return true
  const changed = compileRule(source, places)
  const rules = ruleset.rules.map((one) => (one === rule.compiled ? changed : one))
  const mutated = new Ruleset({ rules, categories: checked.categories, detectors, version: 'mutant' })
  return results.some(({ fixture }) => runFixture(fixture, mutated).findings.length > 0)
}

function findUnnoticed(rule: CheckedRule): string[] {
  if (rule.source === null) return ['not valid']
  const results = readFixtures(rule.found).fixtures.map((fixture) => runFixture(fixture, ruleset))
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
