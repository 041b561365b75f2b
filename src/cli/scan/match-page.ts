import type { PageMatcher } from '../../detector/detector.ts'
import type { Matched } from '../../detector/match-worker.ts'
import { EXTRAS, toResult } from '../../engine/verdict/result.ts'
import type { Extra, PageInput } from '../../index.ts'
import { describeDetails, type TechnologyDetail } from '../../lifecycles/describe-details.ts'
import type { FindFile } from '../formats/saved-files.ts'
import type { FailedScan, ScannedPage, ScanRecord } from '../formats/scan-record.ts'
import type { SavedRendering } from './render-saved.ts'

/** The extras of a saved page. */
export const SAVED_EXTRAS = [...EXTRAS, 'details', 'packages'] as const
export type SavedExtra = (typeof SAVED_EXTRAS)[number]

/** Options for matching saved pages. */
export interface Matching {
  readonly matcher: PageMatcher
  readonly include: readonly SavedExtra[]
  /** Absent if pages are not rendered. */
  readonly rendering?: SavedRendering | null
}

/** A page that was read from a file. */
export interface ReadPage extends Pick<ScanRecord, 'key'> {
  readonly input: PageInput
  /** Warnings about what was cut when the page was read. */
  readonly warnings?: readonly string[]
  /** Finds the files that were saved with the page; by default its scripts and style sheets. */
  readonly files?: FindFile
}

/** Matches a page. @throws like `PageMatcher.match` */
export async function matchPage(
  { warnings = [], ...page }: Omit<ReadPage, 'key'>,
  { include, ...matching }: Matching,
): Promise<ScannedPage> {
  const { input } = page
  const { matcher } = matching
  const { matched, warnings: ofBrowser } = await matchShown(page, matching)
  const { verdict: found, title, packages, buildMs, detectMs } = matched
  const verdict = { ...found, warnings: [...warnings, ...ofBrowser, ...found.warnings] }
  const now = new Date()
  let described: readonly TechnologyDetail[] | undefined
  const describe = (): readonly TechnologyDetail[] => (described ??= describeDetails(verdict, { now }))
  const extras = include.filter((extra): extra is Extra => extra !== 'details' && extra !== 'packages')
  return {
    ...readFacts(matcher, buildMs + detectMs, now),
    verdict,
    title,
    status: input.status ?? null,
    // Reading the lifecycles takes a tenth of the time of one page.
    get details() {
      return describe()
    },
    packages,
    result: {
      ...toResult(verdict, extras),
      ...(include.includes('details') && { details: describe() }),
      ...(include.includes('packages') && { packages }),
    },
  }
}

/** Matches a page: as it was saved, or as a browser shows it. */
async function matchShown(
  { input, files }: Pick<ReadPage, 'input' | 'files'>,
  { matcher, rendering }: Omit<Matching, 'include'>,
): Promise<{ readonly matched: Matched; readonly warnings: readonly string[] }> {
  if (rendering == null) return { matched: await matcher.match(input), warnings: [] }
  const first = rendering.mode === 'auto' ? await matcher.match(input) : null
  if (first?.isShell === false) return { matched: first, warnings: [] }
  const { findBodies } = await import('../formats/saved-files.ts')
  const { renderSaved } = await import('./render-saved.ts')
  const { wantedGlobals: globals } = matcher.rules
  const shown = await renderSaved(input, files ?? findBodies(input), { ...rendering, globals })
  const matched = first === null || shown.input !== null ? await matcher.match(shown.input ?? input) : first
  return { matched, warnings: shown.warnings }
}

/** Matches a page and builds its record, even if matching fails. */
export async function recordPage({ key, ...page }: ReadPage, matching: Matching): Promise<ScanRecord> {
  const started = performance.now()
  try {
    return { key, outcome: await matchPage(page, matching) }
  } catch (error) {
    return { key, outcome: describeFailure(error, matching, performance.now() - started) }
  }
}

/** Describes an error. Invalid input is a TypeError or SyntaxError. */
export function describeFailure(error: unknown, { matcher }: Matching, durationMs = 0): FailedScan {
  const code = error instanceof TypeError || error instanceof SyntaxError ? 'invalid_request' : 'scan_failed'
  return { ...readFacts(matcher, durationMs), error: (error as Error).message, code }
}

function readFacts(
  { rules }: PageMatcher,
  durationMs: number,
  now = new Date(),
): Pick<FailedScan, 'scannedAt' | 'durationMs' | 'ruleset'> {
  return { scannedAt: now.toISOString(), durationMs, ruleset: rules.version }
}
