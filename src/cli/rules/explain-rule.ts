import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { preparePageInput } from '../../engine/page/page-input.ts'
import type { RuleKind } from '../../engine/rule/types.ts'
import { PageLimitError } from '../../errors.ts'
import type { PageInput, Ruleset } from '../../index.ts'
import { discoverRules, type FoundRule } from '../../rules/discover.ts'
import { RulesetError } from '../../rules/findings.ts'
import { readFixtures } from '../../rules/fixtures.ts'
import { openRuleset } from '../../rules/open-ruleset.ts'
import { SLUG } from '../../rules/schema.ts'
import { formatHint } from '../../yaml/hint.ts'
import { type CommandIo, EXIT, readTimeout, UsageError } from '../command.ts'
import { formatCount } from '../format-count.ts'
import { type Given, readTextOption } from '../verbs.ts'
import type { ExplainedRules, Explanation } from './explain-page.ts'
import type { ExplainTask } from './explain-worker.ts'
import { addFolders, readNamedFile } from './named-rules.ts'
import { readPage, readPageSource } from './read-page.ts'
import { type RuleWork, readKind } from './rule-work.ts'

/** A rule as an argument names it: `acme` or `builder/acme`. */
interface NamedRule {
  readonly kind: RuleKind | null
  readonly slug: string
  /** The rule folder, if the argument is a file. */
  readonly root?: string
}

/** A page of a test file. `number` counts from 1. */
interface NamedFixture {
  readonly list: 'hit' | 'miss'
  readonly number: number
}

/** Prints clause by clause why rules do or do not fire on a page. */
export function explain(given: Given, { stdout, stderr }: CommandIo): RuleWork {
  const timeoutMs = readTimeout(readTextOption(given, 'timeout') ?? '10')
  const { rule, url } = readArguments(given)
  const isAll = given.values.all === true
  if (rule === null && !isAll) throw new UsageError('explain needs the slug of a rule, or --all')
  const fixture = readFixtureOption(given)
  const source = readPageSource(given, url)
  if (source !== null && fixture !== null)
    throw new UsageError(`--${fixture.list} names a page of the tests: it cannot be combined with another page`)
  if (source === null && fixture === null)
    throw new UsageError('explain needs a page: a URL, --html FILE, --har FILE, --hit N or --miss N')
  if (fixture !== null && rule === null) throw new UsageError(`--${fixture.list} needs the slug of its rule`)
  return async (loaded) => {
    const { detectors, detectorModules } = loaded
    const folders = addFolders(loaded.folders, rule?.root === undefined ? [] : [rule.root])
    const ruleset = openRuleset({ folders: folders.slice(1), detectors })
    if (rule !== null) checkRule(rule, ruleset)
    const input =
      source === null
        ? readFixturePage(rule as NamedRule, fixture as NamedFixture, folders)
        : await readPage(source, loaded.config, ruleset)
    const rules: ExplainedRules = isAll || rule === null ? 'all' : rule
    const task = { rules, input: preparePageInput(input), folders: folders.slice(1), detectors: detectorModules }
    const { text, warnings } = await explainInWorker(task, timeoutMs)
    for (const warning of warnings) stderr.write(`${warning}\n`)
    stdout.write(text)
    return EXIT.ok
  }
}

/** Separates the slug from the URL. Slugs contain no dot and no colon. */
function readArguments({ args }: Given): { readonly rule: NamedRule | null; readonly url: string | undefined } {
  const [first, second] = args
  if (first !== undefined && /\.yaml$/.test(first)) return { rule: readRuleFile(first), url: second }
  const parts = first?.split('/') ?? []
  const isRule = parts.length > 0 && parts.length <= 2 && parts.every((part) => SLUG.test(part))
  if (!isRule && second !== undefined)
    throw new UsageError(
      `"${first}" is not a slug: write the slug before the URL, such as explain acme https://acme.com`,
    )
  if (!isRule) return { rule: null, url: first }
  const slug = parts[parts.length - 1]
  return { rule: { kind: parts.length === 2 ? readKind(parts[0]) : null, slug }, url: second }
}

/** Reads the file of a rule as an argument. */
function readRuleFile(argument: string): NamedRule {
  const { file, root } = readNamedFile(argument)
  const found = discoverRules(root).rules.find((one) => resolve(one.file) === file)
  if (found === undefined) throw new UsageError(`"${argument}" was not read as a rule: run lint with it`)
  return { kind: found.kind, slug: found.slug, root }
}

/** @throws UsageError when no rule has the slug */
function checkRule({ kind, slug }: NamedRule, { rules }: Ruleset): void {
  const known = rules.filter((rule) => (kind ?? rule.kind) === rule.kind).map((rule) => rule.slug)
  if (!known.includes(slug)) throw new UsageError(`there is no ${kind ?? 'rule'} "${slug}"${formatHint(slug, known)}`)
}

function readFixtureOption(given: Given): NamedFixture | null {
  const lists = (['hit', 'miss'] as const).filter((list) => readTextOption(given, list) !== undefined)
  if (lists.length === 2) throw new UsageError('--hit cannot be combined with --miss: name one page')
  const [list] = lists
  if (list === undefined) return null
  const number = readTextOption(given, list) ?? ''
  if (!/^[1-9]\d{0,3}$/.test(number))
    throw new UsageError(`--${list} must be the number of a page, from 1, not "${number}"`)
  return { list, number: Number(number) }
}

/** @throws UsageError when several rules have the slug, or the test has fewer pages; RulesetError for an invalid test */
function readFixturePage(
  { kind, slug }: NamedRule,
  { list, number }: NamedFixture,
  folders: readonly string[],
): PageInput {
  const found = folders
    .flatMap((folder): readonly FoundRule[] => discoverRules(folder).rules)
    .filter((rule) => rule.slug === slug && (kind ?? rule.kind) === rule.kind)
  if (found.length > 1) {
    const names = found.map((rule) => `${rule.kind}/${slug}`).join(' or ')
    throw new UsageError(`several rules have the slug ${slug}: write ${names}`)
  }
  const { fixtures, findings } = readFixtures(found[0])
  if (findings.length > 0) throw new RulesetError(findings)
  const pages = fixtures.filter(({ hit }) => (hit !== null) === (list === 'hit'))
  const page = pages.at(number - 1)
  if (page === undefined) {
    const noun =
      list === 'hit' ? formatCount(pages.length, 'hit') : `${pages.length} ${pages.length === 1 ? 'miss' : 'misses'}`
    throw new UsageError(`${found[0].testFile} has ${noun}: --${list} ${number} does not exist`)
  }
  return page.input
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
