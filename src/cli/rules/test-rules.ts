import { availableParallelism } from 'node:os'
import { resolve, sep } from 'node:path'
import { mapLimited } from '../../async/map-limited.ts'
import { checkBreadth, checkOrdinaryPage, type OrdinaryResult } from '../../authoring/breadth.ts'
import { type OrdinaryPage, readOrdinaryPages } from '../../authoring/ordinary-pages.ts'
import { checkProof } from '../../authoring/proof.ts'
import { openPageDetector } from '../../detector/detector.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { PageInput } from '../../engine/page/page.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import type { Verdict } from '../../index.ts'
import { findRuleset } from '../../rules/built.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import type { Finding } from '../../rules/findings.ts'
import {
  buildPageFinding,
  checkSlugs,
  checkVerdict,
  type Fixture,
  type FixtureResult,
  readFixtures,
} from '../../rules/fixtures.ts'
import { deriveFixtures } from '../../rules/load/derived-fixtures.ts'
import type { FileMemory } from '../../rules/load/file-memory.ts'
import { checkFolders, throwOnErrors } from '../../rules/load/load.ts'
import { packKept } from '../../rules/load/open-ruleset.ts'
import { type CommandIo, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { addFolders, findNamedRules, type RuleTargets, readTargets } from './named-rules.ts'
import { type ReportOptions, reportFindings } from './report-findings.ts'
import { type LoadedRules, NO_RULES, openMemory } from './rule-work.ts'

interface TestedRules extends LoadedRules, ReportOptions {
  /** Time limit per page. */
  readonly timeoutMs: number
}

/** Detects on a worker. */
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
  const { detectors, detectorModules, timeoutMs } = tested
  const targets = readTargets(names)
  const folders = addFolders(tested.folders, [...targets.folders, ...targets.files.map(({ root }) => root)])
  const memory = openMemory(tested, folders)
  const checked = checkFolders({ folders, detectors, memory })
  throwOnErrors(checked.findings)
  const cache = tested.config.cacheDir
  const search = findRuleset({ folders: folders.slice(1), detectors, cache })
  const ruleset = new Ruleset(search.file ?? packKept(checked, { detectors, ...search }), detectors)
  const written = checked.rules.filter(({ found }) => !found.isBuilt)
  const rules = names.length === 0 ? written : chooseRules(targets, written)
  if (rules.length === 0) throw new UsageError(NO_RULES)
  const threads = rules.length < RULES_AT_ONCE ? 1 : Math.min(4, availableParallelism())
  const options = { folders: folders.slice(1), detectors: detectorModules, cache, threads, timeoutMs }
  const detector = await openPageDetector({ ...options, file: search.file })
  const failures = new Set<string>()
  const detectPage: DetectPage = async (input) => {
    const verdict = await detector.detect(input)
    for (const warning of verdict.warnings) if (FAILED_DETECTOR.test(warning)) failures.add(warning)
    return verdict
  }
  try {
    const own = await mapLimited(rules, RULES_AT_ONCE, (rule) =>
      testRule(rule, { ruleset, detectors, detectPage, memory }),
    )
    const ordinary = await testOrdinaryPages(rules, { ruleset, detectPage, isWhole: names.length === 0 })
    memory?.save()
    for (const failure of failures) io.stderr.write(`${failure}\n`)
    const pages = formatCount(
      own.reduce((sum, one) => sum + one.pages, 0),
      'page',
    )
    const counts = [formatCount(rules.length, 'rule'), pages]
    // An installation without its tests has no ordinary pages.
    if (ordinary.pages > 0) counts.push(formatCount(ordinary.pages, 'ordinary page'))
    const findings = [...own, ordinary].flatMap((one) => one.findings)
    return reportFindings(findings, counts.join(', '), io, tested)
  } finally {
    await detector.close()
  }
}

/** Chooses the rules that arguments name, and all rules of the folders that they name. */
function chooseRules({ folders, files, names }: RuleTargets, rules: readonly CheckedRule[]): readonly CheckedRule[] {
  const named = new Set<CheckedRule>(findNamedRules(names, rules))
  const paths = new Set(files.map(({ file }) => file))
  return rules.filter((rule) => {
    const path = resolve(rule.found.file)
    return named.has(rule) || paths.has(path) || folders.some((folder) => path.startsWith(folder + sep))
  })
}

/** Other warnings are about limits of pages, which tests reach on purpose. */
const FAILED_DETECTOR = /^the detector "[^"]+" failed:/
/** Keeps the workers busy, and little in memory. */
const RULES_AT_ONCE = 32

interface TestContext {
  readonly ruleset: Ruleset
  readonly detectPage: DetectPage
}

/** Runs the hits and misses of one rule against all rules. */
async function testRule(
  rule: CheckedRule,
  {
    ruleset,
    detectors,
    detectPage,
    memory,
  }: TestContext & Pick<LoadedRules, 'detectors'> & { readonly memory?: FileMemory },
): Promise<Tested> {
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
  const prove = (): Finding[] => checkProof(rule, results, detectors)
  // What the pages of a rule show follows from its files. Only site types ask for what other rules found.
  const isKept =
    memory !== undefined && rule.found.kind !== 'site-type' && results.every(({ verdict }) => verdict !== null)
  const unproven = isKept ? memory.recall(rule.found, 'proof', prove) : prove()
  const all = [...findings, ...results.flatMap((one) => one.findings), ...unproven]
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
