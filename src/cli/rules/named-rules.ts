import { existsSync, statSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { type FoundRule, KINDS } from '../../rules/discover.ts'
import { formatHint } from '../../yaml/hint.ts'
import { UsageError } from '../command.ts'
import { readKind } from './rule-work.ts'

/** A rule or test file that an argument names, and the rule folder that it is in. */
export interface NamedFile {
  /** Absolute path of the rule, even if its test is named. */
  readonly file: string
  readonly root: string
}

/** Whether an argument is a path rather than the slug of a rule. */
export function isPath(argument: string): boolean {
  return /\.ya?ml$|^[.~/]|[\\]/i.test(argument)
}

/**
 * Reads the argument that names a rule file or a test file. The kind of a rule is the folder that it is in, so the file has to be in
 * a rule folder.
 * @throws UsageError when there is no such file, or it is elsewhere
 */
export function readNamedFile(argument: string): NamedFile {
  const path = resolve(argument)
  if (!existsSync(path)) throw new UsageError(`there is no file "${argument}"`)
  if (!statSync(path).isFile()) throw new UsageError(`"${argument}" is not a file`)
  if (!path.endsWith('.yaml')) throw new UsageError(`"${argument}" is not a rule: the name of a rule ends in .yaml`)
  const file = path.replace(/\.test\.yaml$/, '.yaml')
  if (!existsSync(file)) throw new UsageError(`the rule ${basename(file)} of the test "${argument}" is missing`)
  const folder = dirname(file)
  const kinds = [...KINDS.keys()]
  for (const kindFolder of [folder, dirname(folder)]) {
    const isTechnology = kindFolder !== folder
    const kind = KINDS.get(basename(kindFolder))
    if (kind !== undefined && (kind === 'technology') === isTechnology) return { file, root: dirname(kindFolder) }
  }
  throw new UsageError(
    `"${argument}" is not in a rule folder, which has the folders ${kinds.join(', ')}: put it into one of them, a technology into the folder of its category`,
  )
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

/**
 * Finds the rules that arguments name: by their slug, as `<kind>/<slug>`, or by the path of the rule or of its test.
 * @throws UsageError when there is no such rule
 */
export function findNamedRules<Rule extends Findable>(names: readonly string[], rules: readonly Rule[]): Rule[] {
  return [...new Set(names.flatMap((name) => findNamed(name, rules)))]
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
