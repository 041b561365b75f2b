import { existsSync, statSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import type { RuleKind } from '../../engine/rule/types.ts'
import { isPackaged, openBuiltFile, ownFolder } from '../../rules/built.ts'
import { discoverRules, type FoundRule, KINDS } from '../../rules/discover.ts'
import { listBuiltRules } from '../../rules/load/built-rules.ts'
import { SLUG } from '../../rules/schema.ts'
import { formatHint } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'
import { readKind } from './rule-work.ts'

/** A rule file that an argument names, and what its path says about the rule. */
export interface NamedFile {
  /** Absolute path of the rule, even if its test is named. */
  readonly file: string
  /** The rule folder that it is in. */
  readonly root: string
  readonly kind: RuleKind
  /** Category folder; null for rules that are not technologies. */
  readonly category: string | null
}

/** Whether an argument is a path rather than the slug of a rule. */
export function isPath(argument: string): boolean {
  return /\.ya?ml$|^[.~/]|[\\]/i.test(argument)
}

/** Whether an argument is a slug or two, as in `acme` and `builder/acme`. A folder or a URL without dots may look the same. */
export function isRuleName(argument: string): boolean {
  const parts = argument.split('/')
  return parts.length <= 2 && parts.every((part) => SLUG.test(part))
}

/**
 * Reads the argument that names a rule file or a test file. The kind of a rule is the folder that it is in, so the file has to be in
 * a rule folder.
 * @throws UsageError when there is no such file, or it is elsewhere
 */
function readNamedFile(argument: string): NamedFile {
  const path = resolve(argument)
  if (!existsSync(path)) throw new UsageError(`there is no file "${argument}"`)
  if (!statSync(path).isFile()) throw new UsageError(`"${argument}" is not a file`)
  const named = locateRule(argument)
  if (!existsSync(named.file))
    throw new UsageError(`the rule ${basename(named.file)} of the test "${argument}" is missing`)
  return named
}

/**
 * Reads what the path of a rule or a test says about the rule. The file may be missing.
 * @throws UsageError when the path is not that of a rule
 */
export function locateRule(argument: string): NamedFile {
  const path = resolve(argument)
  if (!path.endsWith('.yaml')) throw new UsageError(`"${argument}" is not a rule: the name of a rule ends in .yaml`)
  const file = path.replace(/\.test\.yaml$/, '.yaml')
  const folder = dirname(file)
  const kinds = [...KINDS.keys()]
  for (const kindFolder of [folder, dirname(folder)]) {
    const isTechnology = kindFolder !== folder
    const kind = KINDS.get(basename(kindFolder))
    if (kind !== undefined && (kind === 'technology') === isTechnology)
      return { file, root: dirname(kindFolder), kind, category: isTechnology ? basename(folder) : null }
  }
  throw new UsageError(
    `"${argument}" is not in a rule folder, which has the folders ${kinds.join(', ')}: put it into one of them, a technology into the folder of its category`,
  )
}

/**
 * Lists the rule folders of the files among arguments.
 * @throws UsageError when there is no such file, or it is not a rule
 */
export function listRoots(names: readonly string[]): readonly string[] {
  return names.filter(isPath).map((name) => readNamedFile(name).root)
}

/** Adds rule folders to those that are read anyway, each once, whatever its path looks like. */
export function addFolders(folders: readonly string[], more: readonly string[]): readonly string[] {
  const known = new Set(folders.map((folder) => resolve(folder)))
  return [...folders, ...new Set(more.map((folder) => resolve(folder)).filter((folder) => !known.has(folder)))]
}

/** A rule as commands find it. */
interface Findable {
  readonly found: FoundRule
}

/** Finds all rules of some folders, without reading them. Those of a package are in its built file. */
export function findRules(folders: readonly string[]): readonly Findable[] {
  return folders.flatMap((folder) => {
    const isBuilt = folder === ownFolder && isPackaged()
    const rules = isBuilt ? listBuiltRules(openBuiltFile()) : discoverRules(folder).rules
    return rules.map((found) => ({ found }))
  })
}

/**
 * Finds the rules that arguments name: by their slug, as `<kind>/<slug>`, or by the path of the rule or of its test.
 * @throws UsageError when there is no such rule
 */
export function findNamedRules<Rule extends Findable>(names: readonly string[], rules: readonly Rule[]): Rule[] {
  return [...new Set(names.flatMap((name) => findNamed(name, rules)))]
}

/**
 * Finds the only rule that an argument names.
 * @throws UsageError when there is no such rule, or several have the slug
 */
export function findNamedRule<Rule extends Findable>(name: string, rules: readonly Rule[]): Rule {
  const [rule, ...others] = findNamedRules([name], rules)
  if (others.length === 0) return rule
  const names = [rule, ...others].map(({ found }) => `${found.kind}/${found.slug}`).join(' or ')
  throw new UsageError(`several rules have the slug ${rule.found.slug}: write ${names}`)
}

function findNamed<Rule extends Findable>(name: string, rules: readonly Rule[]): readonly Rule[] {
  if (isPath(name)) {
    const { file } = readNamedFile(name)
    const chosen = rules.filter(({ found }) => resolve(found.file) === file)
    if (chosen.length === 0) throw new UsageError(`"${relative('.', file)}" was not read as a rule: run lint with it`)
    return chosen
  }
  const [, kindName, slug = name] = /^([^/]+)\/([^/]+)$/.exec(name) ?? []
  const kind = kindName === undefined ? null : readKind(kindName)
  const candidates = kind === null ? rules : rules.filter(({ found }) => found.kind === kind)
  const chosen = candidates.filter(({ found }) => found.slug === slug)
  if (chosen.length > 0) return chosen
  const slugs = candidates.map(({ found }) => found.slug)
  throw new UsageError(`there is no ${kind ?? 'rule'} "${slug}"${formatHint(slug, slugs)}`)
}

/** What the arguments of a verb name. */
export interface RuleTargets {
  /** Folders of rules, by their absolute paths. */
  readonly folders: readonly string[]
  readonly files: readonly NamedFile[]
  /** Rules by slug or kind and slug. */
  readonly names: readonly string[]
}

/**
 * Tells folders, files and names of rules apart. A name is that of a folder if there is one.
 * @throws UsageError when an argument is none of them
 */
export function readTargets(args: readonly string[]): RuleTargets {
  const folders: string[] = []
  const files: NamedFile[] = []
  const names: string[] = []
  for (const argument of args) {
    const path = resolve(argument)
    if (existsSync(path) && statSync(path).isDirectory()) folders.push(path)
    else if (!isPath(argument) && isRuleName(argument)) names.push(argument)
    else if (existsSync(path) || isPath(argument)) files.push(readNamedFile(argument))
    else throw new UsageError(`there is no rule, file or folder "${argument}"`)
  }
  return { folders, files, names }
}
