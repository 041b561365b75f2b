import { loadDetectors } from '../../plugins/load.ts'
import { Ruleset } from '../engine/lookup/ruleset.ts'
import { FOUND } from '../engine/rule/clause.ts'
import { SetupError } from '../errors.ts'
import { findRuleset } from '../rules/built.ts'
import type { ReleaseSource } from '../rules/release-file.ts'
import { CLAUSE_KEYS } from '../rules/schema.ts'

/** Rules and detectors to load in addition to the built-in ones. */
export interface LoadOptions {
  /** Rule folders with the same layout as `rules/`. */
  readonly folders?: readonly string[]
  /** Detector modules: paths relative to the working directory, or package names. */
  readonly detectors?: readonly string[]
  /** Folder in which rules of `folders` are kept compiled for the next start; none by default. */
  readonly cache?: string | null
  /** The file of a released ruleset, which replaces the built-in rules. It cannot be combined with `folders`. */
  readonly release?: ReleaseSource | null
}

/**
 * Loads a ruleset. One ruleset serves any number of pages.
 *
 *     const ruleset = await loadRuleset()
 *     const verdict = detect(ruleset, buildPage({ url, status, headers, html }))
 *
 * @throws RulesetError with every finding of every rule file; SetupError for a module that does not export
 *   detectors, and for a released ruleset that is refused
 */
export async function loadRuleset({
  folders = [],
  detectors = [],
  cache = null,
  release,
}: LoadOptions = {}): Promise<Ruleset> {
  const parts = { folders, cache, detectors: await loadDetectors(detectors, [...CLAUSE_KEYS, FOUND.key]) }
  if (release) {
    if (folders.length > 0)
      throw new SetupError('a released ruleset cannot be combined with rule folders: leave out one of them')
    const { openRelease } = await import('../rules/open-release.ts')
    return openRelease(release, parts.detectors)
  }
  const search = findRuleset(parts)
  if (search.file !== null) return new Ruleset(search.file, parts.detectors)
  const { compileRules } = await import('../rules/load/open-ruleset.ts') // Imported on demand: it takes a tenth of a second.
  return new Ruleset(compileRules(parts, search), parts.detectors)
}
