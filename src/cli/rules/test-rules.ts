import { availableParallelism } from 'node:os'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { PageInput } from '../../engine/page/page.ts'
import { openDetector, type Verdict } from '../../index.ts'
import { checkBreadth, checkOrdinaryPage, type OrdinaryResult } from '../../rules/breadth.ts'
import { computeFingerprint } from '../../rules/built.ts'
import type { Finding } from '../../rules/findings.ts'
import {
  buildPageFinding,
  checkFixture,
  checkVerdict,
  type Fixture,
  type FixtureResult,
  readFixtures,
} from '../../rules/fixtures.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from '../../rules/load.ts'
import { buildRuleset } from '../../rules/open-ruleset.ts'
import { type OrdinaryPage, readOrdinaryPages } from '../../rules/ordinary-pages.ts'
import { checkProof } from '../../rules/proof.ts'
import type { CommandIo } from '../command.ts'
import { formatCount } from '../format-count.ts'
import { addFolders, findNamedRules, isPath, readNamedFile } from './named-rules.ts'
import { reportFindings } from './report-findings.ts'

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

/** Detects on a worker, and collects the warnings of the page. */
type DetectPage = (input: PageInput) => Promise<Verdict>

/** Problems that were found, and the number of pages that were run. */
interface Tested {
  readonly findings: readonly Finding[]
  readonly pages: number
}

/**
 * Runs the tests of all rules, or of those that slugs and files name, and these rules on the ordinary pages; each page in a worker.
 * @returns the exit code
 */
export async function testRules(tested: TestedRules, names: readonly string[], io: CommandIo): Promise<number> {
  const { detectors, detectorModules, timeoutMs, strict } = tested
  const roots = names.filter(isPath).map((name) => readNamedFile(name).root)
  const folders = addFolders(tested.folders, roots)
  const checked = checkFolders({ folders, detectors })
  throwOnErrors(checked.findings)
  const ruleset = buildRuleset(checked, detectors, computeFingerprint(folders, detectors))
  const rules = names.length === 0 ? checked.rules : findNamedRules(names, checked.rules)
  const warnings = new Set<string>()
  const threads = Math.min(4, Math.max(1, availableParallelism() - 1))
  const detector = await openDetector({ folders: folders.slice(1), detectors: detectorModules, threads, timeoutMs })
  const detectPage: DetectPage = async (input) => {
    const verdict = await detector.detect(input)
    for (const warning of verdict.warnings) warnings.add(warning)
    return verdict
  }
  try {
    const own = await Promise.all(rules.map((rule) => testRule(rule, { ruleset, detectors, detectPage })))
    const ordinary = await testOrdinaryPages(rules, { ruleset, detectPage, isWhole: names.length === 0 })
    for (const warning of warnings) io.stderr.write(`${warning}\n`)
    const pages = formatCount(
      own.reduce((sum, one) => sum + one.pages, 0),
      'page',
    )
    const counts = [formatCount(rules.length, 'rule'), pages]
    // An installation without its tests has no ordinary pages.
    if (ordinary.pages > 0) counts.push(formatCount(ordinary.pages, 'ordinary page'))
    const findings = [...own, ordinary].flatMap((one) => one.findings)
    return reportFindings(findings, counts.join(', '), io, { strict })
  } finally {
    await detector.close()
  }
}

type CheckedRule = CheckedRules['rules'][number]

interface TestContext {
  readonly ruleset: Ruleset
  readonly detectPage: DetectPage
}

/** Runs the hits and misses of one rule against all rules. */
async function testRule(
  rule: CheckedRule,
  { ruleset, detectors, detectPage }: TestContext & Pick<TestedRules, 'detectors'>,
): Promise<Tested> {
  const { fixtures, findings } = readFixtures(rule.found)
  const run = async (fixture: Fixture): Promise<FixtureResult> => {
    const problems = checkFixture(fixture, ruleset)
    if (problems.length > 0) return { fixture, verdict: null, findings: problems }
    try {
      const verdict = await detectPage(fixture.input)
      return { fixture, verdict, findings: checkVerdict(fixture, verdict, ruleset) }
    } catch (error) {
      return { fixture, verdict: null, findings: [buildPageFinding(fixture, error)] }
    }
  }
  const results = await Promise.all(fixtures.map(run))
  const all = [...findings, ...results.flatMap((one) => one.findings), ...checkProof(rule, results, detectors)]
  return { findings: all, pages: fixtures.length }
}

/** Runs rules on the ordinary pages. Errors in the pages themselves are reported only if all rules are tested. */
async function testOrdinaryPages(
  rules: readonly CheckedRule[],
  { ruleset, detectPage, isWhole }: TestContext & { readonly isWhole: boolean },
): Promise<Tested> {
  const { pages, findings } = readOrdinaryPages()
  const run = async (page: OrdinaryPage): Promise<OrdinaryResult | Finding> => {
    try {
      return { page, verdict: await detectPage(page.input) }
    } catch (error) {
      return buildPageFinding(page, error)
    }
  }
  const outcomes = await Promise.all(pages.map(run))
  const results = outcomes.filter((one): one is OrdinaryResult => 'verdict' in one)
  const failed = outcomes.filter((one): one is Finding => !('verdict' in one))
  const own = isWhole ? results.flatMap((result) => checkOrdinaryPage(result, ruleset)) : []
  return { findings: [...findings, ...failed, ...own, ...checkBreadth(rules, results)], pages: pages.length }
}
