import type { LoadOptions } from '../detector/load-ruleset.ts'
import { SetupError } from '../errors.ts'
import type { Release } from '../rules/release-file.ts'
import { RulesetFolder } from './ruleset-folder.ts'
import type { UpdateParts } from './update-rules.ts'

/** The settings that select the rules of a server. */
export interface RulesSettings {
  readonly dataDir: string
  readonly cacheDir: string
  readonly ruleFolders: readonly string[]
  readonly detectorModules: readonly string[]
  readonly rulesUrl: string | null
  readonly rulesPublicKey: string | null
}

/**
 * Finds which rules a server with these settings uses.
 * @param siteprint the version of Siteprint
 * @returns options of `loadRuleset`, and the released ruleset that they name; null for the built-in rules
 * @throws SetupError if the state of the fetched rules cannot be read
 */
export function findRules(
  settings: RulesSettings,
  siteprint: string,
): { readonly options: LoadOptions; readonly active: Release | null } {
  const { dataDir, cacheDir: cache, ruleFolders, detectorModules, rulesUrl, rulesPublicKey: publicKey } = settings
  const options = { folders: ruleFolders, detectors: detectorModules, cache }
  if (rulesUrl === null || publicKey === null) return { options, active: null }
  const folder = new RulesetFolder(dataDir)
  const { active } = folder.readUsable(siteprint)
  if (active === null) return { options, active }
  return { options: { ...options, release: { file: folder.nameFile(active), publicKey } }, active }
}

/** Builds what an update needs from the settings. @throws SetupError if `RULES_URL` is not set */
export function buildUpdateParts(settings: RulesSettings, siteprint: string): UpdateParts {
  const { dataDir, rulesUrl: url, rulesPublicKey: publicKey } = settings
  if (url === null || publicKey === null)
    throw new SetupError(
      'RULES_URL is not set: set it to the URL of released rules, for this command and for the server; docs/operating.md describes it',
    )
  return { folder: new RulesetFolder(dataDir), url, publicKey, siteprint }
}
