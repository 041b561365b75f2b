import type { SitesComparison } from './compare-sites.ts'
import type { ReportNumbers } from './count-sites.ts'
import type { ReportLabels, ReportSite } from './site.ts'

/** Facts about the files that a report was made from. */
export interface ReportSource {
  /** Names of the files, without folders. */
  readonly files: readonly string[]
  /** First and last time of a scan, ISO 8601; null without `--include meta`. */
  readonly scanned: { readonly from: string; readonly to: string } | null
}

/** Everything that a report shows. */
export interface ReportData {
  readonly source: ReportSource
  readonly numbers: ReportNumbers
  readonly labels: ReportLabels
  /** All sites in the order of the results; the table may show only the first ones. */
  readonly sites: readonly ReportSite[]
  /** Maximum number of rows in the table of sites, and in that of changes. */
  readonly maxRows: number
  readonly comparison: (SitesComparison & { readonly earlier: ReportSource }) | null
  /** Sentences about skipped lines, repeated sites, and similar matters. */
  readonly notes: readonly string[]
}
