import type { CountedBatch } from '../../batches/batch-service.ts'
import { formatResults } from '../../batches/format-results.ts'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import { computeNextMinute, countSecondsUntil } from '../../keys/calendar.ts'
import { countSites, type ReportNumbers } from '../../report/count-sites.ts'
import { LineParser } from '../../report/parse-line.ts'
import { type Charts, drawCharts } from '../../report/section-card.tsx'
import type { ReportLabels, ReportSite } from '../../report/site.ts'
import type { BatchCounts } from '../../store/batch-types.ts'
import { type PageContext, PageError } from '../page.ts'

/** Reports that are kept in memory; each has a few charts. */
const MAX_KEPT_REPORTS = 20
/** A report on a running batch is computed again after this time. */
const MAX_AGE_MS = 30_000
/** Reports of an account that are computed in a clock minute: each reads all results of a batch. */
const MAX_REPORTS_PER_MINUTE = 10

/** The numbers and charts of a batch. */
export interface BatchReport {
  readonly numbers: ReportNumbers
  readonly charts: Charts
}

interface KeptReport {
  readonly counts: BatchCounts
  readonly at: number
  readonly report: Promise<BatchReport>
}

/** Batch → its report. Concurrent requests share one. */
const REPORTS = new Map<string, KeptReport>()

/** Counts the results that a batch has at the moment, as `report` does. @throws PageError 429 after too many */
export async function readBatchReport(
  context: PageContext<'session'>,
  { batch, counts }: CountedBatch,
): Promise<BatchReport> {
  const { parts, account, now } = context
  const known = REPORTS.get(batch.id)
  if (known !== undefined && (isSame(known.counts, counts) || Math.abs(now - known.at) < MAX_AGE_MS))
    return await known.report
  const { count } = await parts.shared.countRequest({ counter: `reports of ${account.id}`, now, cost: 1 })
  if (count > MAX_REPORTS_PER_MINUTE)
    throw new PageError(429, 'You opened many reports. Wait a minute, then try again.', {
      retryAfter: countSecondsUntil(computeNextMinute(now), now),
    })
  const report = computeReport(context, { batch, counts })
  REPORTS.delete(batch.id)
  REPORTS.set(batch.id, { counts, at: now, report })
  const [oldest] = REPORTS.keys()
  if (REPORTS.size > MAX_KEPT_REPORTS && oldest !== undefined) REPORTS.delete(oldest)
  try {
    return await report
  } catch (error) {
    if (REPORTS.get(batch.id)?.report === report) REPORTS.delete(batch.id)
    throw error
  }
}

function isSame(a: BatchCounts, b: BatchCounts): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

async function computeReport({ parts }: PageContext<'session'>, counted: CountedBatch): Promise<BatchReport> {
  const labels = buildReportLabels(parts.rules.current)
  const parser = new LineParser(labels.aiNative)
  const sites: ReportSite[] = []
  for await (const lines of parts.batches.readCounted(counted))
    for (const line of lines)
      sites.push(parser.parse(formatResults([line], { format: 'ndjson', hasHeader: false })).site)
  const numbers = countSites(sites, labels)
  return { numbers, charts: await drawCharts(numbers.sections) }
}

/** The data of the rules about names in results. */
export function buildReportLabels({ labels, catalogue }: Pick<RulesetInfo, 'labels' | 'catalogue'>): ReportLabels {
  return {
    siteTypes: new Map(Object.entries(labels.siteTypes)),
    technologies: new Map(Object.entries(labels.technologies)),
    aiNative: new Set(catalogue.flatMap(({ slug, isAiNative }) => (isAiNative ? [slug] : []))),
  }
}
