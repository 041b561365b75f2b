import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Detector } from '../engine/page/detector.ts'
import { isSupportedLogic } from '../engine/rule/logic.ts'
import type { Categories, Clause, CompiledRule } from '../engine/rule/types.ts'
import { discoverRules } from './discover.ts'

/** A ruleset as plain JSON: what a start reads instead of YAML, and what another language can run. */
export interface BuiltRuleset {
  readonly format: typeof FORMAT
  /** Fingerprint of the YAML and of the places it was compiled for. */
  readonly version: string
  readonly categories: Categories
  readonly rules: readonly CompiledRule[]
}

const FORMAT = 1

/** Fingerprint of rule folders: it changes with every byte of a rule, with files that do not belong there, and with the places rules can look at. */
export function fingerprint(folders: readonly string[], detectors: readonly Detector[]): string {
  const hash = createHash('sha256').update(
    JSON.stringify([FORMAT, detectors.map(({ key, family, word }) => [key, family, word])]),
  )
  for (const folder of folders) {
    const { rules, categoriesFile, findings } = discoverRules(folder)
    for (const { file } of findings) hash.update(`\nstray ${relative(folder, file)}`)
    for (const file of [...(categoriesFile === null ? [] : [categoriesFile]), ...rules.map((rule) => rule.file)])
      hash.update(`\n${relative(folder, file)}\n`).update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Puts a built ruleset together. */
export function buildFile(parts: Omit<BuiltRuleset, 'format'>): BuiltRuleset {
  return { format: FORMAT, ...parts }
}

/** Why a built file cannot be used; `message` says what to do. */
export class BuiltFileError extends Error {}

/**
 * Reads a built file when it was made of this very YAML; null when there is none or the YAML has changed since.
 * @throws BuiltFileError when it is cut off, or holds an expression that no compiler of ours writes: it comes from elsewhere
 */
export function readBuilt(file: string, version: string): BuiltRuleset | null {
  if (!existsSync(file)) return null
  const refuse = (what: string): never => {
    throw new BuiltFileError(`${file}: ${what}; make the file anew with \`npm run -s rules -- build\``)
  }
  let built: BuiltRuleset | null = null
  try {
    built = JSON.parse(readFileSync(file, 'utf8')) as BuiltRuleset | null
  } catch (error) {
    return refuse(`this is no JSON: ${(error as Error).message}`)
  }
  if (built?.format !== FORMAT || built.version !== version) return null
  if (!Array.isArray(built.rules) || typeof built.categories !== 'object') refuse('this is no ruleset')
  const fault = built.rules.find((rule: Partial<CompiledRule> | null) => !isOurs(rule))
  if (fault !== undefined) refuse(`an expression of the rule "${fault?.slug}" is none of ours`)
  return built
}

function isOurs(rule: Partial<CompiledRule> | null): boolean {
  if (!Array.isArray(rule?.clauses) || !Array.isArray(rule.leaves)) return false
  const isClause = ({ holds, hits, ownHost = 0, siblingCode = 0 }: Partial<Clause>): boolean =>
    [holds, hits, ownHost, siblingCode].every((logic) => isSupportedLogic(logic))
  return isSupportedLogic(rule.logic) && rule.clauses.every((clause) => isClause(clause ?? {}))
}

/** The folder of the project, from wherever this module runs (sources or build). */
export function projectFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json'))) folder = join(folder, '..')
  return folder
}
