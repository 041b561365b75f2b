import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { isSupportedLogic } from '../engine/rule/logic.ts'
import type { Categories, Clause, CompiledRule } from '../engine/rule/types.ts'
import { SetupError } from '../errors.ts'
import { discoverRules } from './discover.ts'
import { RULESET_FORMAT } from './ruleset-format.ts'

/** A compiled ruleset as plain JSON. A start reads it instead of the YAML, and other languages can run it. */
export interface BuiltRuleset {
  readonly format: typeof RULESET_FORMAT
  /** Fingerprint of the YAML files and of the places they were compiled for. */
  readonly version: string
  readonly categories: Categories
  readonly rules: readonly CompiledRule[]
}

/** The folder of the rules that come with Siteprint. */
export const ownFolder = join(projectFolder(), 'rules')
/** The built file is part of the build: code that runs from its sources never uses a file that older code has built. */
export const builtFile = join(import.meta.dirname, '..', '..', 'ruleset.json')

/** The inputs of a ruleset. */
export interface RulesetParts {
  /** Replaces the rules that come with Siteprint. */
  readonly own?: string
  /** Additional rule folders. */
  readonly folders?: readonly string[]
  /** All detectors, including the built-in ones. */
  readonly detectors: readonly Detector[]
  /** Built file of `own`. */
  readonly built?: string
}

/** Lists the rule folders of a ruleset, that of Siteprint first. */
export function listFolders({ own = ownFolder, folders = [] }: Pick<RulesetParts, 'own' | 'folders'>): string[] {
  return [...new Set([own, ...folders])]
}

/** The version of a ruleset, and the state of its files when they were built. */
export interface BuiltState {
  readonly version: string
  readonly state: string
}

/** The file of a `BuiltState`, next to the built file. */
export function nameStateFile(built: string): string {
  return built.replace(/\.json$/, '.state.json')
}

/**
 * Computes the version of a ruleset, which changes with its YAML files and places. Files that have not changed since they were
 * built are not read: reading them takes a third of a start.
 */
export function identifyRules(parts: RulesetParts): string {
  const folders = listFolders(parts)
  // Additional folders are not built: their files have to be read.
  const known = folders.length === 1 ? readBuiltState(nameStateFile(parts.built ?? builtFile)) : null
  if (known !== null && known.state === computeState(folders, parts.detectors)) return known.version
  return computeFingerprint(folders, parts.detectors)
}

/** Returns null if there is no such file, or if it has another form. */
function readBuiltState(file: string): BuiltState | null {
  try {
    const known = JSON.parse(readFileSync(file, 'utf8')) as Partial<BuiltState> | null
    return typeof known?.version === 'string' && typeof known.state === 'string' ? (known as BuiltState) : null
  } catch {
    return null
  }
}

/**
 * Opens the ruleset of the built file. Returns null if there is none of this version, as is the case with additional
 * folders. This module neither reads YAML nor checks rules, so that a worker does not import the code that does.
 * @throws SetupError if the built file is invalid
 */
export function openBuilt({ built = builtFile, detectors }: RulesetParts, version: string): Ruleset | null {
  const ready = readBuilt(built, version)
  return ready === null ? null : new Ruleset({ ...ready, detectors })
}

/** Computes a hash that changes with any byte of a rule, with any stray file, and with the places that rules can name. */
export function computeFingerprint(folders: readonly string[], detectors: readonly Detector[]): string {
  return hashFiles(folders, detectors, (file) => readFileSync(file))
}

/**
 * Computes a hash that changes when a file is written, moved or replaced: by sizes and times, as Git finds changed files. Programs
 * cannot set the time of the last change of status (ctime), so an older file with the same size is noticed too.
 */
export function computeState(folders: readonly string[], detectors: readonly Detector[]): string {
  return hashFiles(folders, detectors, (file) => {
    const { size, mtimeMs, ctimeMs } = statSync(file)
    return `${size} ${mtimeMs} ${ctimeMs}`
  })
}

function hashFiles(
  folders: readonly string[],
  detectors: readonly Detector[],
  read: (file: string) => string | Uint8Array,
): string {
  const hash = createHash('sha256').update(
    JSON.stringify([RULESET_FORMAT, detectors.map(({ key, family, word }) => [key, family, word])]),
  )
  for (const folder of folders) {
    const { shown, rules, categoriesFile, findings } = discoverRules(folder)
    const name = (file: string): string =>
      file.startsWith(shown + sep) ? file.slice(shown.length + 1) : relative(folder, file)
    for (const { file } of findings) hash.update(`\nstray ${name(file)}`)
    for (const file of [...(categoriesFile === null ? [] : [categoriesFile]), ...rules.map((rule) => rule.file)])
      hash.update(`\n${name(file)}\n`).update(read(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Builds the content of a built file. */
export function buildRulesetFile(parts: Omit<BuiltRuleset, 'format'>): BuiltRuleset {
  return { format: RULESET_FORMAT, ...parts }
}

/**
 * Reads a built file. Returns null if there is none, or if the YAML has changed since it was built.
 * @throws SetupError if the file is truncated, or contains an expression that our compiler never writes
 */
export function readBuilt(file: string, version: string): BuiltRuleset | null {
  if (!existsSync(file)) return null
  const reject = (what: string): never => {
    throw new SetupError(`${file}: ${what}; rebuild the file with \`npm run -s rules -- build\``)
  }
  let built: BuiltRuleset | null = null
  try {
    built = JSON.parse(readFileSync(file, 'utf8')) as BuiltRuleset | null
  } catch (error) {
    return reject(`the file is not valid JSON: ${(error as Error).message}`)
  }
  if (built?.format !== RULESET_FORMAT || built.version !== version) return null
  const problem = findProblem(built)
  return problem === null ? built : reject(problem)
}

/** Says what is wrong with a compiled ruleset: its form, or an expression that our compiler never writes. Null if nothing is. */
export function findProblem(built: Partial<BuiltRuleset>): string | null {
  const { rules, categories } = built
  if (!Array.isArray(rules) || typeof categories !== 'object' || categories === null) return 'the file is not a ruleset'
  const foreign = rules.findIndex((rule: Partial<CompiledRule> | null) => !isOurs(rule))
  if (foreign < 0) return null
  const { slug }: { readonly slug?: unknown } = rules[foreign] ?? {}
  const name = typeof slug === 'string' ? `the rule "${slug}"` : `rule ${foreign + 1}`
  return `${name} contains an expression that the compiler does not write`
}

/** Whether every expression of a rule has a form that our compiler writes. */
function isOurs(rule: Partial<CompiledRule> | null): boolean {
  if (!Array.isArray(rule?.clauses) || !Array.isArray(rule.leaves)) return false
  const isClause = ({ holds, hits, ownHost = 0, siblingCode = 0 }: Partial<Clause>): boolean =>
    isSupportedLogic(holds) && isSupportedLogic(hits) && isSupportedLogic(ownHost) && isSupportedLogic(siblingCode)
  const { typeClauses = [] } = rule
  if (!Array.isArray(typeClauses)) return false
  const clauses: readonly Partial<Clause>[] = [...rule.clauses, ...typeClauses]
  return isSupportedLogic(rule.logic) && clauses.every((clause) => isClause(clause ?? {}))
}

/** The folder of the project, whether this module runs from the sources or from a build. */
export function projectFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = join(folder, '..')
  return folder
}
