import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { RuleSource } from '../../src/engine/rule/types.ts'
import { ownFolder } from '../../src/rules/built.ts'
import type { CheckedRule } from '../../src/rules/checks/rule-checks.ts'
import { type FixtureResult, readFixtures, runFixture } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load.ts'
import { buildRuleset } from '../../src/rules/open-ruleset.ts'
import { checkProof } from '../../src/rules/proof.ts'

export const places = indexPlaces(detectors)
/** The rules of the project. */
export const checked = checkFolders({ folders: [ownFolder], detectors })
const ruleset = buildRuleset(checked, detectors, 'test')

/**
 * Draws the rules that are judged, one of `share`: each takes tens of milliseconds, and there are thousands. A rule is drawn by its
 * name, so that others do not change the sample; another FUZZ_SEED draws another sample.
 */
export function drawRules(share: number): readonly CheckedRule[] {
  const { seed } = inject('properties')
  return checked.rules.filter(({ found: { kind, slug } }) => {
    const hash = createHash('sha256').update(`${seed} ${kind}/${slug}`).digest().readUInt32BE()
    return hash % share === 0
  })
}

/** Runs the test of a rule as it is. */
export function runOwnTest(rule: CheckedRule): FixtureResult[] {
  return readFixtures(rule.found).fixtures.map((fixture) => runFixture(fixture, ruleset))
}

/** Whether the tests of a rule detect a change of it: in what its hits show, or in the verdicts on its pages. */
export function isNoticed(rule: CheckedRule, source: RuleSource, results: readonly FixtureResult[]): boolean {
  if (checkProof({ ...rule, source }, results, detectors).length > 0) return true
  const changed = compileRule(source, places)
  const rules = ruleset.rules.map((one) => (one === rule.compiled ? changed : one))
  const mutated = new Ruleset({ rules, categories: checked.categories, detectors, version: 'mutant' })
  return results.some(({ fixture }) => runFixture(fixture, mutated).findings.length > 0)
}
