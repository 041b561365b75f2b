import { CHANGE_KINDS, type ChangeKind, describeChange } from '../../report/compare-sites.ts'
import { type ChartSection, formatBase } from '../../report/count-sites.ts'
import type { ReportData } from '../../report/report-data.ts'
import { formatShare } from '../../report/section-card.tsx'
import { nameSiteType } from '../../report/site.ts'
import { formatRows } from '../command/format-rows.ts'

const NUMBERS = new Intl.NumberFormat('en')
const formatNumber = (number: number): string => NUMBERS.format(number)

/** Maximum number of rows of a section, not counting the one for all other sites. */
const MAX_ROWS = 15
const MAX_CHANGED_SITES = 50

/** Formats the numbers of a report for the terminal, and what changed. */
export function formatReport(data: ReportData): string {
  const { sites, failed, notSite } = data.numbers
  const others = notSite === 0 ? '' : `; of ${formatNumber(notSite)} something else than the site came back`
  const head = `${formatNumber(sites)} ${sites === 1 ? 'site' : 'sites'}, ${formatNumber(sites - failed)} with a result, ${formatNumber(failed)} failed${others}\n`
  return [head, ...data.numbers.sections.map(formatSection), ...formatChanges(data)].join('\n')
}

function formatSection(section: ChartSection): string {
  const { title, head, total, counts } = section
  const named = counts.filter(({ isRest }) => !isRest)
  const rest = counts.filter(({ isRest }) => isRest)
  const hasBefore = counts.some(({ before }) => before !== null)
  const rows = [...named.slice(0, MAX_ROWS), ...rest].map(({ name, sites, before }) => [
    name,
    formatNumber(sites),
    formatShare(sites, total),
    ...(hasBefore ? [before === null ? null : formatNumber(before)] : []),
  ])
  const hidden = named.length - MAX_ROWS
  const table = formatRows([head, 'Sites', 'Share', ...(hasBefore ? ['Before'] : [])], rows)
  return `${title}, share of ${formatBase(section)}\n${table}${hidden > 0 ? `and ${formatNumber(hidden)} more\n` : ''}`
}

function formatChanges({ comparison, labels }: ReportData): readonly string[] {
  if (comparison === null) return []
  const { counts, unchanged, sites } = comparison
  const kinds = (Object.keys(CHANGE_KINDS) as ChangeKind[]).filter((kind) => counts.has(kind))
  const rows = [
    ...kinds.map((kind) => [CHANGE_KINDS[kind], formatNumber(counts.get(kind) ?? 0)]),
    ['Unchanged', formatNumber(unchanged)],
  ]
  const lines = sites.slice(0, MAX_CHANGED_SITES).map(({ site, changes }) => {
    const texts = changes.map((change) => describeChange(change, (siteType) => nameSiteType(siteType, labels)))
    return `${site.name}\n${texts.map((text) => `  ${text}\n`).join('')}`
  })
  const hidden = sites.length - MAX_CHANGED_SITES
  return [
    `Changes since the earlier results\n${formatRows(['Change', 'Sites'], rows)}`,
    ...(lines.length > 0 ? [lines.join('')] : []),
    ...(hidden > 0 ? [`and ${formatNumber(hidden)} more sites: use --out report.html to see more of them\n`] : []),
  ]
}
