import { statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve, sep } from 'node:path'
import { mapLimited } from '../../async/map-limited.ts'
import { checkBreadth, checkOrdinaryPage, type OrdinaryResult } from '../../authoring/breadth.ts'
import { type OrdinaryPage, readOrdinaryPages } from '../../authoring/ordinary-pages.ts'
import { Ruleset } from '../../engine/lookup/ruleset.ts'
import { indexPlaces } from '../../engine/rule/clause.ts'
import { findRuleset } from '../../rules/built.ts'
import type { CheckedRule } from '../../rules/checks/rule-checks.ts'
import type { FoundRule } from '../../rules/discover.ts'
import type { Finding } from '../../rules/findings.ts'
import type { FileMemory } from '../../rules/load/file-memory.ts'
import { type CheckedRules, checkFolders, type RuleFolders, recallRules, throwOnErrors } from '../../rules/load/load.ts'
import { packKept } from '../../rules/load/open-ruleset.ts'
import { buildPageFinding } from '../../rules/run-fixture.ts'
import { type CommandIo, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { addFolders, findNamedRules, findRules, type RuleTargets, readTargets } from './named-rules.ts'
import { type ReportOptions, reportFindings } from './report-findings.ts'
import { type LoadedRules, NO_RULES, openMemory } from './rule-work.ts'
import { selectPages } from './select-pages.ts'
import { Trials } from './trials.ts'

interface TestedRules extends LoadedRules, ReportOptions {
  /** Time limit per page. */
  readonly timeoutMs: number
}

/**
 * Runs the tests of all rules, or of those that slugs and files name, and these rules on the ordinary pages, in threads.
 * @returns the exit code
 */
export async function testRules(tested: TestedRules, names: readonly string[], io: CommandIo): Promise<number> {
  const { detectors, detectorModules, timeoutMs } = tested
  const targets = readTargets(names)
  const folders = addFolders(tested.folders, [...targets.folders, ...targets.files.map(({ root }) => root)])
  const memory = openMemory(tested, folders)
  const loaded = loadRules({ folders, detectors, memory }, (found) =>
    names.length === 0 ? found : chooseRules(targets, found),
  )
  const { rules } = loaded
  const cache = tested.config.cacheDir
  const search = findRuleset({ folders: folders.slice(1), detectors, cache })
  const ruleset = new Ruleset(search.file ?? packKept(loaded.checkAll(), { detectors, ...search }), detectors)
  const isFew = rules.length < FEW_RULES && rules.every(({ found }) => isSmall(found))
  const threads = isFew ? 1 : Math.min(4, availableParallelism())
  const options = { folders: folders.slice(1), detectors: detectorModules, cache }
  const trials = new Trials({ options, file: search.file, threads, isFew, timeoutMs, ruleset, detectors })
  try {
    const [own, ordinary] = await Promise.all([
      mapLimited(groupRules(rules), 2 * threads, (group) => testGroup(group, trials, memory)),
      testOrdinaryPages(rules, { ruleset, trials, isWhole: names.length === 0, memory }),
    ])
    memory?.save()
    for (const warning of trials.warnings) if (FAILED_DETECTOR.test(warning)) io.stderr.write(`${warning}\n`)
    const results = own.flat()
    const pages = formatCount(
      results.reduce((sum, one) => sum + one.pages, 0),
      'page',
    )
    const counts = [formatCount(rules.length, 'rule'), pages]
    // An installation without its tests has no ordinary pages.
    if (ordinary.pages > 0) counts.push(formatCount(ordinary.pages, 'ordinary page'))
    const findings = [...results, ordinary].flatMap((one) => one.findings)
    return reportFindings(findings, counts.join(', '), io, tested)
  } finally {
    await trials.close()
  }
}

/** The rules that are tested. */
interface RulesToTest {
  readonly rules: readonly CheckedRule[]
  /** Checks all rules. None has an error. */
  checkAll(): CheckedRules
}

/**
 * Loads rules, if no rule of the folders has an error. What an earlier run has found about the same files is not checked again.
 * @throws RulesetError when a rule has errors; UsageError without rules, and what `choose` throws
 */
function loadRules(
  { folders, detectors, memory }: RuleFolders,
  choose: (found: readonly Written[]) => readonly Written[],
): RulesToTest {
  let checked: CheckedRules | undefined
  const checkAll = (): CheckedRules => {
    checked ??= checkFolders({ folders, detectors, memory })
    throwOnErrors(checked.findings)
    return checked
  }
  const check = (): true => Boolean(checkAll()) as true
  if (memory === undefined) check()
  else memory.recallWhole('sound', [], check)
  const all = checked?.rules ?? findRules(folders)
  const chosen = choose(all.filter(({ found }) => !found.isBuilt)).map(({ found }) => found)
  if (chosen.length === 0) throw new UsageError(NO_RULES)
  const known = checked === undefined && memory ? recallRules(chosen, indexPlaces(detectors), memory) : null
  return { rules: known ?? pickRules(chosen, checkAll().rules), checkAll }
}

function pickRules(chosen: readonly FoundRule[], rules: readonly CheckedRule[]): readonly CheckedRule[] {
  const files = new Set(chosen.map(({ file }) => file))
  return rules.filter(({ found }) => files.has(found.file))
}

type Written = Pick<CheckedRule, 'found'>

/** Chooses the rules that arguments name, and all rules of the folders that they name. */
function chooseRules({ folders, files, names }: RuleTargets, rules: readonly Written[]): readonly Written[] {
  const named = new Set<Written>(findNamedRules(names, rules))
  const paths = new Set(files.map(({ file }) => file))
  return rules.filter((rule) => {
    const path = resolve(rule.found.file)
    return named.has(rule) || paths.has(path) || folders.some((folder) => path.startsWith(folder + sep))
  })
}

/** Whether the pages of a rule are so small that no limit of memory is needed. */
function isSmall({ file, testFile, hasTest }: FoundRule): boolean {
  return statSync(hasTest ? testFile : file).size < MAX_SMALL_BYTES
}

const MAX_SMALL_BYTES = 200_000
/** Other warnings are about limits of pages, which tests reach on purpose. */
const FAILED_DETECTOR = /^the detector "[^"]+" failed:/
/** Fewer rules are tested before a second thread has loaded its code. */
const FEW_RULES = 32
/** Rules that a thread gets at once. */
const GROUP_SIZE = 16

function groupRules(rules: readonly CheckedRule[]): readonly (readonly CheckedRule[])[] {
  const count = Math.ceil(rules.length / GROUP_SIZE)
  return Array.from({ length: count }, (_, i) => rules.slice(i * GROUP_SIZE, (i + 1) * GROUP_SIZE))
}

/** Problems that were found, and the number of pages that were run. */
interface Tested {
  readonly findings: readonly Finding[]
  readonly pages: number
}

/** Runs the tests of some rules. */
async function testGroup(
  rules: readonly CheckedRule[],
  trials: Trials,
  memory: FileMemory | undefined,
): Promise<readonly Tested[]> {
  // What the pages of a rule show follows from its files. Only site types ask for what other rules found.
  const isKept = ({ found }: CheckedRule): boolean => memory !== undefined && found.kind !== 'site-type'
  const known = rules.map((rule) => ({
    rule,
    unproven: (isKept(rule) && memory?.find<readonly Finding[]>(rule.found, 'proof')) || null,
  }))
  const results = await trials.tryRules(known)
  return results.map(({ pages, findings, unproven, isWhole }, i) => {
    if (isKept(rules[i]) && isWhole) memory?.recall(rules[i].found, 'proof', () => unproven)
    return { pages, findings: [...findings, ...unproven] }
  })
}

interface OrdinaryContext {
  readonly ruleset: Ruleset
  readonly trials: Trials
  /** Whether all rules are tested: only then are errors in the pages themselves reported. */
  readonly isWhole: boolean
  readonly memory: FileMemory | undefined
}

/** Runs rules on the ordinary pages. */
async function testOrdinaryPages(
  rules: readonly CheckedRule[],
  { ruleset, trials, isWhole, memory }: OrdinaryContext,
): Promise<Tested> {
  const { pages, findings, state } = readOrdinaryPages({ memory })
  const isSelected = !isWhole && rules.length < FEW_RULES && !trials.hasForeignDetectors
  const tested = isSelected ? selectPages(pages, rules, { ruleset, state, detectors: trials.detectors, memory }) : pages
  const outcomes = await trials.detectPages(tested.map(({ input }) => input))
  const read = (page: OrdinaryPage, i: number): OrdinaryResult | Finding => {
    const outcome = outcomes[i]
    return 'verdict' in outcome ? { page, ...outcome } : buildPageFinding(page, new Error(outcome.message))
  }
  const all = tested.map(read)
  const results = all.filter((one): one is OrdinaryResult => 'verdict' in one)
  const failed = all.filter((one): one is Finding => !('verdict' in one))
  const own = isWhole ? results.flatMap((result) => checkOrdinaryPage(result, ruleset)) : []
  return { findings: [...findings, ...failed, ...own, ...checkBreadth(rules, results)], pages: pages.length }
}
