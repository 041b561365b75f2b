import { formatCount, formatNumber } from '../views/format-text.ts'
import { Table } from '../views/table.tsx'
import { BAR_CHART_WIDTHS, type Bar, drawBarChart } from './bar-chart.ts'
import { type ChartSection, type Count, findCategory, formatBase } from './count-sites.ts'
import type { ReportLabels } from './site.ts'

/** Maximum number of bars of a chart, not counting the one for all other sites. */
const MAX_BARS = 10
/**
 * Maximum number of rows of a table, not counting the one for all other sites. Hostile results may have thousands of
 * names.
 */
const MAX_TABLE_ROWS = 2000

/** Created on first use: a service loads this module at its start. */
let shares: Intl.NumberFormat | undefined

/** Formats a part of a number of sites, such as "12.5%". */
export function formatShare(sites: number, total: number): string {
  shares ??= new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
  return shares.format(total === 0 ? 0 : sites / total)
}

/** The images of a chart by section. */
export type Charts = ReadonlyMap<ChartSection['id'], readonly string[]>

/** Draws the charts of all sections in all sizes. */
export async function drawCharts(sections: readonly ChartSection[]): Promise<Charts> {
  const drawn = sections.map(async (section) => [section.id, await drawSection(section)] as const)
  return new Map(await Promise.all(drawn))
}

function drawSection(section: ChartSection): Promise<readonly string[]> {
  const { id, title, total, counts } = section
  const [first] = counts
  const most = `${first.name}, ${formatValue(first.sites, total)} of ${formatBase(section)}`
  const description = `Most frequent: ${most}. The table below has all numbers.`
  const sizes = Object.keys(BAR_CHART_WIDTHS) as (keyof typeof BAR_CHART_WIDTHS)[]
  return Promise.all(sizes.map((size) => drawBarChart({ id, size, title, description, bars: listBars(section) })))
}

/** The most frequent values, the sum of the others, and the rest. */
function listBars({ counts, total, isMultiple }: ChartSection): readonly Bar[] {
  const named = counts.filter(({ isRest, sites }) => !isRest && sites > 0)
  const others = named.slice(MAX_BARS)
  const sum = others.reduce((all, { sites }) => all + sites, 0)
  const shown: readonly Count[] = [
    ...named.slice(0, MAX_BARS),
    // Sites with several values would be in the sum more than once.
    ...(sum === 0 || isMultiple
      ? []
      : [{ name: formatCount(others.length, 'other'), sites: sum, before: null, isRest: true }]),
    ...counts.filter(({ isRest, sites }) => isRest && sites > 0),
  ]
  return shown.map(({ name, sites, isRest = false }) => ({
    label: name,
    value: sites,
    text: formatValue(sites, total),
    isRest,
  }))
}

function formatValue(sites: number, total: number): string {
  return `${formatNumber(sites)} (${formatShare(sites, total)})`
}

/** Continues a sentence with a title, such as "site types". Abbreviations such as "AI" stay as they are. */
const lowerFirst = (title: string): string => title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())

interface SectionCardProps {
  readonly section: ChartSection
  readonly charts: Charts
  readonly labels: ReportLabels
}

/** A chart, and its numbers as a table. */
export function SectionCard({ section, charts, labels }: SectionCardProps) {
  const { id, title, counts, isMultiple } = section
  const hidden = isMultiple ? counts.filter(({ isRest, sites }) => !isRest && sites > 0).length - MAX_BARS : 0
  return (
    <section class="card" id={id}>
      <h2>{title}</h2>
      <p class="quiet">
        Share of {formatBase(section)}.{isMultiple && ' A site can have several.'}
        {hidden > 0 && ` The table has ${formatNumber(hidden)} more.`}
      </p>
      <figure class="bars">
        {charts.get(id)?.map((svg) => (
          // Made by Vega, which escapes the texts.
          <div key={svg} dangerouslySetInnerHTML={{ __html: svg }} />
        ))}
      </figure>
      <details>
        <summary>
          Table<span class="hidden"> of {lowerFirst(title)}</span>
        </summary>
        <CountTable section={section} labels={labels} />
      </details>
    </section>
  )
}

function CountTable({ section, labels }: Omit<SectionCardProps, 'charts'>) {
  const { id, title, head, counts, total } = section
  const hasCategory = id === 'technologies'
  const hasBefore = counts.some(({ before }) => before !== null)
  const columns = [head, ...(hasCategory ? ['Category'] : []), 'Sites', 'Share', ...(hasBefore ? ['Before'] : [])]
  const rows = counts
    .slice(0, MAX_TABLE_ROWS)
    .map(({ name, sites, before }) => [
      <bdi key="name">{name}</bdi>,
      ...(hasCategory ? [findCategory(name, labels)] : []),
      formatNumber(sites),
      formatShare(sites, total),
      ...(hasBefore ? [formatNumber(before ?? 0)] : []),
    ])
  const numeric = columns.flatMap((column, i) => (['Sites', 'Share', 'Before'].includes(column) ? [i] : []))
  const cut = counts.length - rows.length
  return (
    <>
      <Table caption={title} head={columns} rows={rows} numeric={numeric} hasHiddenCaption />
      {cut > 0 && <p class="quiet">{formatNumber(cut)} less frequent ones are not listed.</p>}
    </>
  )
}
