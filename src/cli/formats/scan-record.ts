import type { Result, Verdict } from '../../index.ts'
import type { TechnologyDetail } from '../../lifecycles/describe-details.ts'
import type { Extras, SystemPart } from '../../scan/extra-schemas.ts'
import type { LiveResult } from '../../scan/live-result.ts'

/** The result of a saved page. */
type SavedResult = Result & Partial<Pick<Extras, 'details' | 'packages'>>

/** Facts about every scan, including a failed one. */
interface ScanFacts {
  /** When the scan ended, in UTC (ISO 8601). */
  readonly scannedAt: string
  readonly durationMs: number
  /** Version of the rules. */
  readonly ruleset: string
}

/** A site or page that was scanned. */
export interface ScannedPage extends ScanFacts {
  readonly verdict: Verdict
  /** The technologies, and whether their versions were supported on the day of the scan. */
  readonly details: readonly TechnologyDetail[]
  readonly packages: Extras['packages']
  /** The pages of a site that were read; absent if one was asked for. */
  readonly parts?: readonly SystemPart[] | undefined
  /** The ten fields and the extras that were requested. */
  readonly result: LiveResult | SavedResult
  /** HTTP status; null if it is unknown. */
  readonly status: number | null
  readonly title: string | null
  /** Only for a live site. */
  readonly infrastructure?: Extras['infrastructure']
}

/** A site or page whose scan failed. */
export interface FailedScan extends ScanFacts {
  readonly error: string
  readonly code: string
}

/** One line of an output. */
export interface ScanRecord {
  /** Fields that name the item and come first: `url`, or `id` or `line`, and `date` and `recordId` of a WARC record. */
  readonly key: Readonly<Record<string, string | number>>
  /** Cells of the input file that are carried through, by column. */
  readonly input?: Readonly<Record<string, string>> | undefined
  readonly outcome: ScannedPage | FailedScan
}

/**
 * Builds the object of a JSON line: `{…key, input?, result}` or `{…key, input?, error, code, meta?}`.
 * @param withMeta whether a failure has `meta`, as results have it with `include=meta`; a failed scan has no status and no title
 */
export function buildLine({ key, input, outcome }: ScanRecord, withMeta: boolean): object {
  const start = { ...key, ...(input && { input }) }
  if ('result' in outcome) return { ...start, result: outcome.result }
  const { error, code, scannedAt, ruleset } = outcome
  return { ...start, error, code, ...(withMeta && { meta: { status: null, scannedAt, ruleset, title: null } }) }
}
