import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { listKnownPages } from '../../authoring/propose/known-pages.ts'
import { proposeRule } from '../../authoring/propose/propose-rule.ts'
import type { Trait } from '../../authoring/propose/trait.ts'
import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { PageInput } from '../../engine/page/page.ts'
import type { Categories, RuleKind } from '../../engine/rule/types.ts'
import { isPackaged } from '../../rules/built.ts'
import { findNamespace } from '../../rules/checks/set-checks.ts'
import { type FoundRule, KINDS } from '../../rules/discover.ts'
import { RulesetError } from '../../rules/findings.ts'
import { checkFolders } from '../../rules/load/load.ts'
import { buildRuleset, openRuleset } from '../../rules/load/open-ruleset.ts'
import { SLUG } from '../../rules/schema.ts'
import { type CommandIo, EXIT, UsageError } from '../command/command.ts'
import { formatCount } from '../command/format-count.ts'
import { type Given, readTextOption } from '../command/verbs.ts'
import { findRules, isPath, locateRule } from './named-rules.ts'
import { readPage, readPageSource } from './read-page.ts'
import { type LoadedRules, NO_RULES, type RuleWork, readKind, requireCategory } from './rule-work.ts'

/** The rule that the arguments name. */
export interface NamedRule {
  readonly kind: RuleKind
  readonly slug: string
  readonly category: string | null
  /** The rule folder, if the argument is a path. */
  readonly root?: string
}

/** Proposes a rule and its tests from a page, and writes both files. */
export function writeNewRule(given: Given, io: CommandIo): RuleWork {
  const [name, url] = given.args
  const rule = readName(name, readTextOption(given, 'category') ?? null)
  const source = readPageSource(given, url)
  if (source === null) throw new UsageError('new needs a page: a URL, --html FILE or --har FILE')
  const folder = readFolder(given)
  return (loaded) =>
    writeProposal({ rule, folder, readInput: (ruleset) => readPage(source, loaded.config, ruleset) }, loaded, io)
}

/** A rule to propose, and where its page comes from. */
export interface WantedRule {
  readonly rule: NamedRule
  /** Folder of rules; by default that of the project. */
  readonly folder?: string | undefined
  readonly readInput: (ruleset: Ruleset) => Promise<PageInput>
  /** What the rule is about, if the page alone does not say it. */
  readonly lead?: Trait
}

/**
 * Writes the files of a proposed rule and prints their names.
 * @returns the exit code
 * @throws UsageError when the slug or a file is taken, or the page shows nothing unusual
 */
export async function writeProposal(
  { rule, folder, readInput, lead }: WantedRule,
  { folders, detectors }: Pick<LoadedRules, 'folders' | 'detectors'>,
  { stdout, stderr }: CommandIo,
): Promise<number> {
  if (rule.root !== undefined && folder !== undefined)
    throw new UsageError('--in cannot be combined with the path of a rule')
  const root = resolve(folder ?? rule.root ?? chooseFolder(folders))
  const all = [...new Set([...folders, root])]
  const found = findRules(all).map((one) => one.found)
  const ruleset = openSoundRules(all, detectors)
  const files = checkFree(rule, root, { found, categories: ruleset.categories })
  const input = await readInput(ruleset)
  const request = { ...rule, ...(lead && { lead }) }
  const proposal = proposeRule(input, request, { ruleset, detectors, pages: listKnownPages(found) })
  if (proposal === null)
    throw new UsageError('this page shows nothing that test pages of other rules do not show: nothing was written')
  mkdirSync(dirname(files.rule), { recursive: true })
  writeFileSync(files.rule, proposal.rule, { flag: 'wx' })
  writeFileSync(files.test, proposal.test, { flag: 'wx' })
  for (const file of [files.rule, files.test]) stdout.write(`${relative('.', file)}\n`)
  stderr.write(
    `${formatCount(proposal.clauses, 'clause')}, ${proposal.others} more in a comment. Replace every FILL IN, then run lint and test ${rule.slug}.\n`,
  )
  return EXIT.ok
}

/** Chooses the folder of a new rule: that of the project, or the first one next to a package. */
function chooseFolder([own, local]: readonly string[]): string {
  if (!isPackaged()) return own
  if (local === undefined) throw new UsageError(NO_RULES)
  return local
}

/** Opens all rules that have no error: an author may work on several rules at a time. */
function openSoundRules(folders: readonly string[], detectors: readonly Detector[]): Ruleset {
  try {
    return openRuleset({ folders: folders.slice(1), detectors })
  } catch (error) {
    if (!(error instanceof RulesetError)) throw error
    return buildRuleset(checkFolders({ folders, detectors }), detectors, '')
  }
}

/**
 * Reads the folder of `--in`; undefined without it.
 * @throws UsageError
 */
export function readFolder(given: Given): string | undefined {
  const folder = readTextOption(given, 'in')
  if (folder !== undefined && !(existsSync(folder) && statSync(folder).isDirectory()))
    throw new UsageError(`--in: there is no folder "${folder}"`)
  return folder
}

/**
 * Reads `builder/acme`, `technology/analytics/acme`, or with `--category`; or the path of the rule to write.
 * @throws UsageError
 */
export function readName(name: string, option: string | null): NamedRule {
  return isPath(name) ? readNewFile(name, option) : readNewName(name, option)
}

function readNewFile(path: string, option: string | null): NamedRule {
  const { file, root, kind, category } = locateRule(path)
  if (!existsSync(root)) throw new UsageError(`there is no folder "${relative('.', root)}"`)
  return checkName({ kind, slug: basename(file, '.yaml'), category: readCategory(category, option), root })
}

function readNewName(name: string, option: string | null): NamedRule {
  const parts = name.split('/')
  if (parts.length < 2 || parts.length > 3 || parts.includes(''))
    throw new UsageError(`new needs <kind>/<slug>, such as builder/acme or technology/analytics/acme, not "${name}"`)
  const category = readCategory(parts.length === 3 ? parts[1] : null, option)
  return checkName({ kind: readKind(parts[0]), slug: parts[parts.length - 1], category })
}

function readCategory(named: string | null, option: string | null): string | null {
  if (named !== null && option !== null && option !== named)
    throw new UsageError(`two categories are given: ${named} and --category ${option}`)
  return named ?? option
}

function checkName(rule: NamedRule): NamedRule {
  const { kind, slug, category } = rule
  if (!SLUG.test(slug)) throw new UsageError(`"${slug}" is not a slug: use lower-case letters, digits and hyphens`)
  if (category !== null && kind !== 'technology' && kind !== 'builder')
    throw new UsageError(`a ${kind} rule has no category`)
  if (category === null && kind === 'technology')
    throw new UsageError(`new needs the category of a technology: technology/<category>/${slug}`)
  return rule
}

/** @throws UsageError when the slug or a file is taken, or the category does not exist */
function checkFree(
  { kind, slug, category }: NamedRule,
  root: string,
  { found, categories }: { readonly found: readonly FoundRule[]; readonly categories: Categories },
): { readonly rule: string; readonly test: string } {
  if (category !== null) requireCategory(category, kind, categories)
  const other = found.find((one) => one.slug === slug && findNamespace(one.kind) === findNamespace(kind))
  if (other !== undefined) throw new UsageError(`the slug ${slug} is already used by ${other.file}`)
  const folder = [...KINDS].find(([, one]) => one === kind)?.[0] ?? kind
  const path = join(root, folder, ...(kind === 'technology' && category !== null ? [category] : []), slug)
  const files = { rule: `${path}.yaml`, test: `${path}.test.yaml` }
  for (const file of [files.rule, files.test])
    if (existsSync(file)) throw new UsageError(`${relative('.', file)} already exists: nothing was written`)
  return files
}
