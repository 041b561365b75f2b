import type { DetectorOptions, PageDetector } from './detector/detector.ts'

export { type LoadOptions, loadRuleset } from './detector/load-ruleset.ts'
export type { Ruleset } from './engine/lookup/ruleset.ts'
export type { Detector, Found, Wanted } from './engine/page/detector.ts'
export { buildPage, type PageInput } from './engine/page/page.ts'
export type { Page } from './engine/page/page-types.ts'
export { detect } from './engine/verdict/detect.ts'
export { type Extra, type Result, toResult } from './engine/verdict/result.ts'
export type { Evidence, Level, Verdict } from './engine/verdict/verdict-types.ts'
export { PageLimitError } from './errors.ts'
export { describeDetails, type TechnologyDetail } from './lifecycles/describe-details.ts'
export { type Finding, RulesetError } from './rules/findings.ts'
export type { ReleaseSource } from './rules/release-file.ts'

export type { DetectorOptions, PageDetector }

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
  const { openPageDetector } = await import('./detector/detector.ts') // Imported on demand: workers also load this module, and do not need the pool.
  return openPageDetector(options)
}
