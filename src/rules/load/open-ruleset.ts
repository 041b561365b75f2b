import { type PackedRuleset, packRuleset, Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Detector } from '../../engine/page/detector.ts'
import { findRuleset, keepCompiled, listFolders, type RulesetParts, type RulesetSearch } from '../built.ts'
import { type CheckedRules, checkFolders, throwOnErrors } from './load.ts'

/**
 * Loads the built-in rules and those of additional folders. Without additional folders, the rules come from the built
 * file if it matches the YAML, so a start parses no YAML.
 * @throws RulesetError with every finding if a rule is invalid; SetupError if the built file is damaged and there is no YAML
 */
export function openRuleset(parts: RulesetParts): Ruleset {
  const search = findRuleset(parts)
  return new Ruleset(search.file ?? compileRules(parts, search), parts.detectors)
}

/**
 * Compiles the rules of the YAML files, and keeps the result for the next start.
 * @param warn receives a sentence if the result cannot be kept
 * @throws RulesetError with every finding if a rule is invalid
 */
export function compileRules(
  parts: RulesetParts,
  { version, target }: Pick<RulesetSearch, 'version' | 'target'>,
  warn: (text: string) => void = () => {},
): PackedRuleset {
  const { detectors } = parts
  const checked = checkFolders({ folders: listFolders(parts), detectors })
  throwOnErrors(checked.findings)
  return packKept(checked, { detectors, version, target }, warn)
}

/** Compiles rules that were checked without errors, and keeps the result for the next start. */
export function packKept(
  checked: CheckedRules,
  { detectors, version, target }: Pick<RulesetParts, 'detectors'> & Pick<RulesetSearch, 'version' | 'target'>,
  warn: (text: string) => void = () => {},
): PackedRuleset {
  const packed = packChecked(checked, detectors, version)
  if (target !== null)
    try {
      keepCompiled(target, packed)
    } catch (error) {
      warn(`the compiled rules could not be kept for the next start: ${(error as Error).message}`)
    }
  return packed
}

/** Compiles the index of rules that were checked without errors. */
export function packChecked(
  { rules, categories }: CheckedRules,
  detectors: readonly Detector[],
  version: string,
): PackedRuleset {
  return packRuleset({ rules: rules.flatMap(({ compiled }) => compiled ?? []), categories, version }, detectors)
}

/** Builds the ruleset from rules that were checked without errors. */
export function buildRuleset(checked: CheckedRules, detectors: readonly Detector[], version: string): Ruleset {
  return new Ruleset(packChecked(checked, detectors, version), detectors)
}
