import { join } from 'node:path'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { fingerprint, projectFolder, readBuilt } from './built.ts'
import { type CheckedRules, checkFolders, refuseErrors } from './load.ts'

/** Our own rules. */
export const ownFolder = join(projectFolder(), 'rules')
/** Beside the build: code that runs from its sources never takes a file that older code has built. */
export const builtFile = join(import.meta.dirname, '..', '..', 'ruleset.json')

/** What a ruleset is made of. */
export interface RulesetParts {
  /** The folder of our own rules. */
  readonly own?: string
  /** Rule folders beside our own. */
  readonly folders?: readonly string[]
  /** All detectors, ours included. */
  readonly detectors: readonly Detector[]
  /** The built file of `own`. */
  readonly built?: string
}

/**
 * Loads our rules and those of further folders. Our rules alone come from the built file when it fits the YAML,
 * so that a start costs no YAML.
 * @throws RulesetError with every finding when a rule is wrong; BuiltFileError when the built file is none of ours
 */
export function openRuleset({ own = ownFolder, folders = [], detectors, built = builtFile }: RulesetParts): Ruleset {
  const all = [...new Set([own, ...folders])]
  const version = fingerprint(all, detectors)
  const ready = readBuilt(built, version)
  if (ready !== null) return new Ruleset({ ...ready, detectors })
  const checked = checkFolders({ folders: all, detectors })
  refuseErrors(checked.findings)
  return compiledRuleset(checked, detectors, version)
}

/** The ruleset of rules that were checked and refused nothing. */
export function compiledRuleset(checked: CheckedRules, detectors: readonly Detector[], version: string): Ruleset {
  const rules = checked.rules.flatMap(({ compiled }) => compiled ?? [])
  return new Ruleset({ rules, categories: checked.categories, detectors, version })
}
