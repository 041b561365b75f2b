import { availableParallelism } from 'node:os'
import type { Detector } from '../engine/page/detector.ts'
import { openDetector, type PageDetector } from '../index.ts'
import { computeFingerprint } from '../rules/built.ts'
import type { Finding } from '../rules/findings.ts'
import { buildPageFinding, checkFixture, checkVerdict, type Fixture, readFixtures } from '../rules/fixtures.ts'
import { checkFolders, throwOnErrors } from '../rules/load.ts'
import { buildRuleset } from '../rules/open-ruleset.ts'
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
}

/** Runs the tests of all rules, or of the given slugs, each page in a worker. @returns the exit code */
export async function testRules(tested: TestedRules, slugs: readonly string[], io: CommandIo): Promise<number> {
  const { folders, detectors, detectorModules, timeoutMs } = tested
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
    const invalid = checkFixture(fixture, ruleset)
    if (invalid.length > 0) return invalid
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
    for (const warning of warnings) io.stderr.write(`${warning}\n`)
    const summary = `${formatCount(rules.length, 'rule')}, ${formatCount(fixtures.length, 'page')}`
    return reportFindings([...read.flatMap((one) => one.findings), ...findings.flat()], summary, io)
  } finally {
    await detector.close()
  }
}
