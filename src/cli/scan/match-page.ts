import type { PageMatcher } from '../../detector/detector.ts'
import { EXTRAS } from '../../engine/verdict/result.ts'
import { type Extra, type PageInput, toResult } from '../../index.ts'
import { describeDetails, type TechnologyDetail } from '../../lifecycles/describe-details.ts'
import type { FailedScan, ScannedPage, ScanRecord } from '../formats/scan-record.ts'

/** The extras of a saved page. */
export const SAVED_EXTRAS = [...EXTRAS, 'details', 'packages'] as const
export type SavedExtra = (typeof SAVED_EXTRAS)[number]

/** Options for matching saved pages. */
export interface Matching {
  readonly matcher: PageMatcher
  readonly include: readonly SavedExtra[]
}

/** A page that was read from a file. */
export interface ReadPage extends Pick<ScanRecord, 'key'> {
  readonly input: PageInput
  /** Warnings about what was cut when the page was read. */
  readonly warnings?: readonly string[]
}

/** Matches a page. @throws like `PageMatcher.match` */
export async function matchPage(
  { input, warnings = [] }: Omit<ReadPage, 'key'>,
  { matcher, include }: Matching,
): Promise<ScannedPage> {
  const { verdict: found, title, packages, buildMs, detectMs } = await matcher.match(input)
  const verdict = { ...found, warnings: [...warnings, ...found.warnings] }
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
