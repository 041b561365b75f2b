import { Worker } from 'node:worker_threads'
import { preparePageInput } from '../../engine/page/page-input.ts'
import { indexPlaces, type Places, toList } from '../../engine/rule/clause.ts'
import type { RuleSource } from '../../engine/rule/types.ts'
import { PageLimitError } from '../../errors.ts'
import type { PageInput } from '../../index.ts'
import type { FoundRule } from '../../rules/discover.ts'
import { RulesetError } from '../../rules/findings.ts'
import { type Fixture, readFixtures } from '../../rules/fixtures.ts'
import { deriveFixtures } from '../../rules/load/derived-fixtures.ts'
import { openRuleset } from '../../rules/load/open-ruleset.ts'
import { SourceFile } from '../../yaml/source-file.ts'
import { type CommandIo, EXIT, readTimeout, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import type { ExplainedRules, Explanation } from './explain-page.ts'
import type { ExplainTask } from './explain-worker.ts'
import { addFolders, findNamedRule, findNamedRules, findRules, isPath, isRuleName, listRoots } from './named-rules.ts'
import { readPage, readPageSource } from './read-page.ts'
import type { RuleWork } from './rule-work.ts'

/** A page of a test file. `number` counts from 1; 0 is the page that is derived from the rule. */
interface NamedFixture {
  readonly list: 'hit' | 'miss'
  readonly number: number
}

/** Prints clause by clause why rules do or do not fire on a page. */
export function explain(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const timeoutMs = readTimeout(readTextOption(given, 'timeout') ?? '10')
  const { names, url } = readArguments(given)
  const roots = listRoots(names)
  const isAll = given.values.all === true
  if (names.length === 0 && !isAll) throw new UsageError('explain needs the slug of a rule, or --all')
  const fixture = readFixtureOption(given)
  const source = readPageSource(given, url)
  if (source !== null && fixture !== null)
    throw new UsageError(`--${fixture.list} names a page of the tests: it cannot be combined with another page`)
  if (source === null && fixture === null)
    throw new UsageError('explain needs a page: a URL, --html FILE, --har FILE, --hit N or --miss N')
  if (fixture !== null && names.length === 0) throw new UsageError(`--${fixture.list} needs the slug of its rule`)
  return async (loaded) => {
    const { detectors, detectorModules } = loaded
    const folders = addFolders(loaded.folders, roots)
    const ruleset = openRuleset({ folders: folders.slice(1), detectors })
    const found = findRules(folders)
    const chosen = findNamedRules(names, found)
    const input =
      source === null
        ? readFixturePage(findNamedRule(names[0], found).found, fixture as NamedFixture, indexPlaces(detectors))
        : await readPage(source, loaded.config, ruleset)
    const rules: ExplainedRules = isAll ? 'all' : selectRules(chosen.map((one) => one.found))
    const task = { rules, input: preparePageInput(input), folders: folders.slice(1), detectors: detectorModules }
    const { text, warnings } = await explainInWorker(task, timeoutMs)
    for (const warning of warnings) stderr.write(`${warning}\n`)
    stdout.write(text)
    return EXIT.ok
  }
}

/** Separates the name of the rule from the URL. */
function readArguments({ args }: Given): { readonly names: readonly string[]; readonly url: string | undefined } {
  const [first, second] = args
  if (first !== undefined && (isPath(first) || isRuleName(first))) return { names: [first], url: second }
  if (second !== undefined)
    throw new UsageError(
      `"${first}" is not a slug: write the slug before the URL, such as explain acme https://acme.com`,
    )
  return { names: [], url: first }
}

/** Selects the rules that a name stands for: they have one slug, and are of several kinds if the name does not say which. */
function selectRules([{ slug, kind }, ...others]: readonly FoundRule[]): ExplainedRules {
  return { slug, kind: others.length > 0 ? null : kind }
}

function readFixtureOption(given: Given): NamedFixture | null {
  const lists = (['hit', 'miss'] as const).filter((list) => readTextOption(given, list) !== undefined)
  if (lists.length === 2) throw new UsageError('--hit cannot be combined with --miss: name one page')
  const [list] = lists
  if (list === undefined) return null
  const number = readTextOption(given, list) ?? ''
  if (!/^(?:0|[1-9]\d{0,3})$/.test(number))
    throw new UsageError(`--${list} must be the number of a page, from 1, or 0 for the derived one, not "${number}"`)
  return { list, number: Number(number) }
}

/** @throws UsageError when the test has fewer pages; RulesetError for an invalid test */
function readFixturePage(found: FoundRule, { list, number }: NamedFixture, places: Places): PageInput {
  if (found.isBuilt)
    throw new UsageError(`the tests of ${found.kind}/${found.slug} are not part of the package: name another page`)
  const { fixtures, findings } = readFixtures(found)
  if (findings.length > 0) throw new RulesetError(findings)
  const isListed = ({ hit }: Fixture): boolean => (hit !== null) === (list === 'hit')
  const pages = fixtures.filter(isListed)
  const [derived] = number === 0 ? deriveFixtures(readWritten(found), places).filter(isListed) : []
  const page = number === 0 ? derived : pages.at(number - 1)
  if (page === undefined && number === 0)
    throw new UsageError(`no page is derived from ${found.file}: none of its clauses is an exact name`)
  if (page === undefined) {
    const noun =
      list === 'hit' ? formatCount(pages.length, 'hit') : `${pages.length} ${pages.length === 1 ? 'miss' : 'misses'}`
    throw new UsageError(
      `${found.hasTest ? found.testFile : found.file} has ${noun}: --${list} ${number} does not exist`,
    )
  }
  return page.input
}

/** Reads a rule that was loaded, and is therefore valid. */
function readWritten(found: FoundRule): { found: FoundRule; file: SourceFile; source: RuleSource } {
  const file = new SourceFile(found.file, { document: 'first' })
  const data = file.data as RuleSource
  return { found, file, source: { ...data, kind: found.kind, slug: found.slug, source: toList(data.source) } }
}

/** @throws PageLimitError when the page takes too long; any error of the worker */
function explainInWorker(task: ExplainTask, timeoutMs: number): Promise<Explanation> {
  const worker = new Worker(new URL('explain-worker.js', import.meta.url), { workerData: task })
  let timer: NodeJS.Timeout | undefined
  const explained = new Promise<Explanation>((resolve, reject) => {
    worker.on('message', (message: Explanation | 'ready') => {
      if (message !== 'ready') resolve(message)
      else timer = setTimeout(() => reject(new PageLimitError(timeoutMs)), timeoutMs)
    })
    worker.on('error', reject)
    worker.on('exit', (code) => reject(new Error(`the worker exited with code ${code} before it was done`)))
  })
  return explained.finally(() => {
    clearTimeout(timer)
    return worker.terminate()
  })
}
