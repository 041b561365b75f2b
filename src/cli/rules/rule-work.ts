import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { Detector } from '../../engine/page/detector.ts'
import type { Categories, RuleKind } from '../../engine/rule/types.ts'
import { isPackaged, openBuiltFile, ownFolder } from '../../rules/built.ts'
import { KINDS } from '../../rules/discover.ts'
import { FileMemory, identifyCode } from '../../rules/load/file-memory.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from '../../rules/load/load.ts'
import { formatChoice } from '../../yaml/hint.ts'
import { UsageError } from '../command/command.ts'

/** Rule folders and detectors, loaded once the arguments are valid. */
export interface LoadedRules {
  /** The project's own folder first. */
  readonly folders: readonly string[]
  readonly detectors: readonly Detector[]
  /** Modules of the detectors from `DETECTORS`. */
  readonly detectorModules: readonly string[]
  /** Settings, for verbs that fetch a page. */
  readonly config: Config
}

/** The rule folder of the working folder, which verbs of a package read. */
export const LOCAL_FOLDER = 'rules'

export const NO_RULES = 'there are no rules here: name a folder of rules, or make one with npm run -s rules -- init'

/**
 * Lists the rule folders that verbs read: that of Siteprint first. A package has no rules to edit, so without RULES_DIRS its verbs
 * also read the folder `rules` of the working folder, if it has rules and the arguments name no folder.
 * @param configured the folders of RULES_DIRS
 * @param args the arguments of the command
 */
export function listRuleFolders(configured: readonly string[], args: readonly string[]): readonly string[] {
  const isNamed = configured.length > 0 || args.some((arg) => existsSync(arg) && statSync(arg).isDirectory())
  const isLocal = isPackaged() && !isNamed && isRuleFolder(LOCAL_FOLDER)
  return [ownFolder, ...configured, ...(isLocal ? [resolve(LOCAL_FOLDER)] : [])]
}

/** @throws UsageError for a verb that needs the YAML of the project's rules, or its history */
export function requireCheckout(verb: string): void {
  if (isPackaged())
    throw new UsageError(`${verb} works on the rules of Siteprint, which a package has only compiled: use a checkout`)
}

function isRuleFolder(folder: string): boolean {
  return [...KINDS.keys()].some((kind) => existsSync(join(folder, kind)))
}

/** The action of a verb of `rules`, which runs once rule folders and detectors are known. @returns the exit code */
export type RuleWork = (loaded: LoadedRules) => Promise<number> | number

/**
 * Opens what earlier runs know of rules. undefined if nothing can be known: the code is not built, or detectors of others judge rules,
 * whose code may change.
 */
export function openMemory(
  { detectorModules, config }: LoadedRules,
  folders: readonly string[],
): FileMemory | undefined {
  const code = identifyCode()
  if (code === null || detectorModules.length > 0) return undefined
  const built = isPackaged() ? openBuiltFile().version : ''
  return new FileMemory({ folder: config.cacheDir, folders, code: code + built })
}

/** @throws RulesetError when a rule has errors */
export function readValidRules({ folders, detectors }: Pick<LoadedRules, 'folders' | 'detectors'>): CheckedRules {
  const checked = checkFolders({ folders, detectors })
  throwOnErrors(checked.findings)
  return checked
}

/**
 * Reads the name of a kind, or of its folder: `builder` or `builders`.
 * @throws UsageError
 */
export function readKind(name: string): RuleKind {
  const kinds = [...KINDS.values()]
  const kind = KINDS.get(name) ?? kinds.find((one) => one === name)
  if (kind === undefined) throw new UsageError(`there is no kind "${name}"${formatChoice(name, kinds)}`)
  return kind
}

/**
 * Checks the name of a category.
 * @param kind the kind of the rules; null for all kinds
 * @throws UsageError with the categories of this kind
 */
export function requireCategory(category: string, kind: RuleKind | null, categories: Categories): void {
  const lists = { builder: Object.keys(categories.builders), technology: Object.keys(categories.technologies) }
  if (kind !== null && kind !== 'builder' && kind !== 'technology')
    throw new UsageError(`a ${kind} rule has no category: leave out "${category}"`)
  const known = kind === null ? [...lists.builder, ...lists.technology] : lists[kind]
  if (known.includes(category)) return
  const other = kind === 'builder' ? 'technology' : 'builder'
  const reason = kind !== null && lists[other].includes(category) ? `, which is a ${other} category` : ''
  throw new UsageError(
    `there is no ${kind === null ? '' : `${kind} `}category "${category}"${reason}${formatChoice(category, known)}`,
  )
}
