import { checkProof } from '../../authoring/proof.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { PageInput } from '../../engine/page/page.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import type { Verdict } from '../../engine/verdict/verdict-types.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import type { Finding } from '../../rules/findings.ts'
import { type Fixture, readFixtures } from '../../rules/fixtures.ts'
import { deriveFixtures } from '../../rules/load/derived-fixtures.ts'
import { buildPageFinding, checkSlugs, checkVerdict, type FixtureResult } from '../../rules/run-fixture.ts'

/** Detects what a page is made with. @throws what `buildPage` throws, and if the page takes too long */
type DetectPage = (input: PageInput) => Promise<Verdict> | Verdict

/** What the tests of one rule have shown. It can be sent to another thread. */
export interface RuleTrial {
  readonly pages: number
  /** Problems of the test file, and of what its pages and the derived ones show. */
  readonly findings: readonly Finding[]
  /** What no hit shows of the rule. */
  readonly unproven: readonly Finding[]
  /** Whether each page has a verdict. */
  readonly isWhole: boolean
}

export interface TrialContext {
  readonly ruleset: Ruleset
  readonly detectors: readonly Detector[]
  readonly detectPage: DetectPage
  /** What is known of parts that no hit shows. The hits are read again if nothing is known, or if a page has no verdict. */
  readonly unproven: readonly Finding[] | null
}

/** Runs the hits and misses of one rule against all rules. */
export async function tryRule(
  rule: CheckedRule,
  { ruleset, detectors, detectPage, unproven }: TrialContext,
): Promise<RuleTrial> {
  const { fixtures: written, findings } = readFixtures(rule.found)
  const fixtures = [...written, ...deriveFixtures(rule, indexPlaces(detectors))]
  const run = async (fixture: Fixture): Promise<FixtureResult> => {
    const problems = checkSlugs(fixture, ruleset)
    if (problems.length > 0) return { fixture, verdict: null, findings: problems }
    try {
      const verdict = await detectPage(fixture.input)
      return { fixture, verdict, findings: checkVerdict(fixture, verdict, ruleset) }
    } catch (error) {
      return { fixture, verdict: null, findings: [buildPageFinding(fixture, error)] }
    }
  }
  const results = await Promise.all(fixtures.map(run))
  const isWhole = results.every(({ verdict }) => verdict !== null)
  const proof = isWhole && unproven !== null ? unproven : checkProof(rule, results, detectors)
  return {
    pages: fixtures.length,
    findings: [...findings, ...results.flatMap((one) => one.findings)],
    unproven: proof,
    isWhole,
  }
}
