import { loadDetectors } from '../plugins/load.ts'
import type { Ruleset } from './engine/lookup/ruleset.ts'
import { FOUND } from './engine/rule/clause.ts'
import { SetupError } from './errors.ts'
import { identifyRules, openBuilt } from './rules/built.ts'
import type { ReleaseSource } from './rules/release-file.ts'
import { CLAUSE_KEYS } from './rules/schema.ts'
import type { DetectorOptions, PageDetector } from './scan/detector.ts'

export type { Ruleset } from './engine/lookup/ruleset.ts'
export type { Detector, Found, Wanted } from './engine/page/detector.ts'
export { buildPage, type PageInput } from './engine/page/page.ts'
export type { Page } from './engine/page/page-types.ts'
export { detect } from './engine/verdict/detect.ts'
export { type Extra, type Result, toResult } from './engine/verdict/result.ts'
export type { Evidence, Level, Verdict } from './engine/verdict/verdict-types.ts'
export { PageLimitError } from './errors.ts'
export { type Finding, RulesetError } from './rules/findings.ts'

export type { DetectorOptions, PageDetector, ReleaseSource }

/** Rules and detectors to load in addition to the built-in ones. */
export interface LoadOptions {
  /** Rule folders with the same layout as `rules/`. */
  readonly folders?: readonly string[]
  /** Detector modules: paths relative to the working directory, or package names. */
  readonly detectors?: readonly string[]
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
export async function loadRuleset({ folders = [], detectors = [], release }: LoadOptions = {}): Promise<Ruleset> {
  const parts = { folders, detectors: await loadDetectors(detectors, [...CLAUSE_KEYS, FOUND.key]) }
  if (release) {
    if (folders.length > 0)
      throw new SetupError('a released ruleset cannot be combined with rule folders: leave out one of them')
    const { openRelease } = await import('./rules/open-release.ts')
    return openRelease(release, parts.detectors)
  }
  const version = identifyRules(parts)
  const built = openBuilt(parts, version)
  if (built !== null) return built
  const { compileRuleset } = await import('./rules/open-ruleset.ts') // Imported on demand: it takes a tenth of a second.
  return compileRuleset(parts, version)
}

/**
 * Opens a detector that matches each page in a worker, and terminates the worker if a page takes longer than `timeoutMs`.
 * `detect` runs on the calling thread and cannot be stopped, so use it only with rules that you trust.
 *
 *     const detector = await openDetector({ timeoutMs: 1000 })
 *     const verdict = await detector.detect({ url, status, headers, html })
 *     await detector.close()
 *
 * @throws the errors of `loadRuleset`
 */
export async function openDetector(options: DetectorOptions = {}): Promise<PageDetector> {
  const { openPageDetector } = await import('./scan/detector.ts') // Imported on demand: workers also load this module, and do not need the pool.
  return openPageDetector(options)
}
