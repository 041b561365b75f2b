import { join } from 'node:path'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { linkSiteTypes } from '../engine/rule/link-site-types.ts'
import { computeFingerprint, projectFolder, readBuilt } from './built.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from './load.ts'

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

/**
 * Loads the built-in rules and those of further folders. Without further folders the rules come from the built file if it
 * matches the YAML, so that a start parses no YAML.
 * @throws RulesetError with every finding if a rule is invalid; SetupError if the built file is invalid
 */
export function openRuleset({ own = ownFolder, folders = [], detectors, built = builtFile }: RulesetParts): Ruleset {
  const all = [...new Set([own, ...folders])]
  const version = computeFingerprint(all, detectors)
  const ready = readBuilt(built, version)
  if (ready !== null) return new Ruleset({ ...ready, detectors })
  const checked = checkFolders({ folders: all, detectors })
  throwOnErrors(checked.findings)
  return buildRuleset(checked, detectors, version)
}

/** Builds the ruleset from rules that were checked without errors. */
export function buildRuleset(checked: CheckedRules, detectors: readonly Detector[], version: string): Ruleset {
  const rules = linkSiteTypes(checked.rules.flatMap(({ compiled }) => compiled ?? []))
  return new Ruleset({ rules, categories: checked.categories, detectors, version })
}
