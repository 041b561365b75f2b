import { availableParallelism } from 'node:os'
import type { Detector } from '../engine/page/detector.ts'
import { openDetector, type PageDetector } from '../index.ts'
import { computeFingerprint } from '../rules/built.ts'
import type { Finding } from '../rules/findings.ts'
import { buildPageFinding, checkFixture, checkVerdict, type Fixture, readFixtures } from '../rules/fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset } from '../rules/open-ruleset.ts'
import { UsageError } from './command.ts'
import { report, several } from './report-findings.ts'

interface TestedRules {
  /** Ours first. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Modules of the detectors that are not ours. */
  readonly detectorModules: readonly string[]
}

/** Runs the fixtures of all rules, or of some, each page in a worker and no longer than `timeoutMs`. @returns the exit code */
export async function testRules(tested: TestedRules, slugs: readonly string[], timeoutMs: number): Promise<number> {
  const { folders, detectors, detectorModules } = tested
  const checked = checkFolders({ folders, detectors })
  throwOnErrors(checked.findings)
  const ruleset = buildRuleset(checked, detectors, computeFingerprint(folders, detectors))
  for (const slug of slugs)
    if (!checked.rules.some(({ found }) => found.slug === slug)) throw new UsageError(`there is no rule "${slug}"`)
  const rules = checked.rules.filter(({ found }) => slugs.length === 0 || slugs.includes(found.slug))
  const read = rules.map(({ found }) => readFixtures(found))
  const fixtures = read.flatMap((one) => one.fixtures)
  const warnings = new Set<string>()
  const run = async (fixture: Fixture, detector: PageDetector): Promise<Finding[]> => {
    const faults = checkFixture(fixture, ruleset)
    if (faults.length > 0) return faults
    try {
      const verdict = await detector.detect(fixture.input)
      for (const warning of verdict.warnings) warnings.add(warning)
      return checkVerdict(fixture, verdict, ruleset)
    } catch (error) {
      return [buildPageFinding(fixture, error)]
    }
  }
  const threads = Math.min(4, Math.max(1, availableParallelism() - 1))
  const options = { folders: folders.slice(1), detectors: detectorModules, threads, timeoutMs }
  const detector = await openDetector(options)
  try {
    const findings = await Promise.all(fixtures.map((fixture) => run(fixture, detector)))
    for (const warning of warnings) process.stderr.write(`${warning}\n`)
    const summary = `${several(rules.length, 'rule')}, ${several(fixtures.length, 'page')}`
    return report([...read.flatMap((one) => one.findings), ...findings.flat()], summary)
  } finally {
    await detector.close()
  }
}
