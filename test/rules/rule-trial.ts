import { createHash } from 'node:crypto'
import { inject } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { checkProof } from '../../src/authoring/proof.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { RuleSource } from '../../src/engine/rule/types.ts'
import { ownFolder } from '../../src/rules/built.ts'
import type { CheckedRule } from '../../src/rules/checks/rule-checks.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { deriveFixtures, provesItself } from '../../src/rules/load/derived-fixtures.ts'
import { checkFolders } from '../../src/rules/load/load.ts'
import { buildRuleset } from '../../src/rules/load/open-ruleset.ts'
import { readTestText } from '../../src/rules/rule-tests.ts'
import { type FixtureResult, runFixture } from '../../src/rules/run-fixture.ts'

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

/** Runs the pages that are derived from a changed rule, with the ruleset that contains it. */
function runDerived(rule: CheckedRule, changed: Ruleset): FixtureResult[] {
  return deriveFixtures(rule, places).map((fixture) => runFixture(fixture, changed))
}

/** Whether the tests of a rule detect a change of it: in what its hits show, or in the verdicts on its pages. */
export function isNoticed(rule: CheckedRule, source: RuleSource, results: readonly FixtureResult[]): boolean {
  // A word that is misspelled names nothing that the rule states elsewhere, so that it needs a page that shows it.
  if (readTestText(rule.found) === null && !provesItself(source, places)) return true
  const changed = compileRule(source, places)
  const rules = ruleset.rules.map((one) => (one === rule.compiled ? changed : one))
  const mutated = Ruleset.of({ rules, categories: checked.categories, version: 'mutant' }, detectors)
  const derived = runDerived({ ...rule, source }, mutated)
  if (checkProof({ ...rule, source }, [...results, ...derived], detectors).length > 0) return true
  return results.some(({ fixture }) => runFixture(fixture, mutated).findings.length > 0)
}
