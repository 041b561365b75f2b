import { availableParallelism } from 'node:os'
import type { Detector } from '../engine/page/detector.ts'
import { openDetector } from '../index.ts'
import { computeFingerprint } from '../rules/built.ts'
import {
  buildPageFinding,
  checkFixture,
  checkVerdict,
  type Fixture,
  type FixtureResult,
  readFixtures,
} from '../rules/fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset } from '../rules/open-ruleset.ts'
import { checkProof } from '../rules/proof.ts'
import { type CommandIo, UsageError } from './command.ts'
import { formatCount, reportFindings } from './report-findings.ts'

interface TestedRules {
  /** The project's own folder first. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Modules of the detectors from `DETECTORS`. */
  readonly detectorModules: readonly string[]
  /** Time limit per page. */
  readonly timeoutMs: number
  /** Whether warnings are errors. */
  readonly strict: boolean
}

/** Runs the tests of all rules, or of the given slugs, each page in a worker. @returns the exit code */
export async function testRules(tested: TestedRules, slugs: readonly string[], io: CommandIo): Promise<number> {
  const { folders, detectors, detectorModules, timeoutMs, strict } = tested
  const checked = checkFolders({ folders, detectors })
  throwOnErrors(checked.findings)
  const ruleset = buildRuleset(checked, detectors, computeFingerprint(folders, detectors))
  for (const slug of slugs)
    if (!checked.rules.some(({ found }) => found.slug === slug)) throw new UsageError(`there is no rule "${slug}"`)
  const rules = checked.rules.filter(({ found }) => slugs.length === 0 || slugs.includes(found.slug))
  const warnings = new Set<string>()
  const threads = Math.min(4, Math.max(1, availableParallelism() - 1))
  const options = { folders: folders.slice(1), detectors: detectorModules, threads, timeoutMs }
  const detector = await openDetector(options)
  const run = async (fixture: Fixture): Promise<FixtureResult> => {
    const findings = checkFixture(fixture, ruleset)
    if (findings.length > 0) return { fixture, verdict: null, findings }
    try {
      const verdict = await detector.detect(fixture.input)
      for (const warning of verdict.warnings) warnings.add(warning)
      return { fixture, verdict, findings: checkVerdict(fixture, verdict, ruleset) }
    } catch (error) {
      return { fixture, verdict: null, findings: [buildPageFinding(fixture, error)] }
    }
  }
  try {
    const perRule = await Promise.all(
      rules.map(async (rule) => {
        const { fixtures, findings } = readFixtures(rule.found)
        const results = await Promise.all(fixtures.map(run))
        const all = [...findings, ...results.flatMap((one) => one.findings), ...checkProof(rule, results, detectors)]
        return { findings: all, pages: fixtures.length }
      }),
    )
    for (const warning of warnings) io.stderr.write(`${warning}\n`)
    const pages = perRule.reduce((sum, one) => sum + one.pages, 0)
    const summary = `${formatCount(rules.length, 'rule')}, ${formatCount(pages, 'page')}`
    return reportFindings(
      perRule.flatMap((one) => one.findings),
      summary,
      io,
      { strict },
    )
  } finally {
    await detector.close()
  }
}
