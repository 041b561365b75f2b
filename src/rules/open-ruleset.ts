import { Ruleset } from '../engine/lookup/ruleset.ts'
import type { Detector } from '../engine/page/detector.ts'
import { linkSiteTypes } from '../engine/rule/link-site-types.ts'
import { identifyRules, listFolders, openBuilt, type RulesetParts } from './built.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from './load.ts'

/**
 * Loads the built-in rules and those of additional folders. Without additional folders, the rules come from the built
 * file if it matches the YAML, so a start parses no YAML.
 * @throws RulesetError with every finding if a rule is invalid; SetupError if the built file is invalid
 */
export function openRuleset(parts: RulesetParts): Ruleset {
  const version = identifyRules(parts)
  return openBuilt(parts, version) ?? compileRuleset(parts, version)
}

/**
 * Compiles the rules of the YAML files.
 * @param version of the rules, as `identifyRules` computes it
 * @throws RulesetError with every finding if a rule is invalid
 */
export function compileRuleset(parts: RulesetParts, version: string): Ruleset {
  const { detectors } = parts
  const checked = checkFolders({ folders: listFolders(parts), detectors })
  throwOnErrors(checked.findings)
  return buildRuleset(checked, detectors, version)
}

/** Builds the ruleset from rules that were checked without errors. */
export function buildRuleset(checked: CheckedRules, detectors: readonly Detector[], version: string): Ruleset {
  const rules = linkSiteTypes(checked.rules.flatMap(({ compiled }) => compiled ?? []))
  return new Ruleset({ rules, categories: checked.categories, detectors, version })
}
