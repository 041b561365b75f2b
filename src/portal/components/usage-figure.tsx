import { formatCount, formatDayName, formatMonthName, formatNumber } from '../../views/format-text.ts'
import { Table } from '../../views/table.tsx'
import type { UsageReport } from '../usage.ts'
import { CHART_SIZES, drawUsageChart } from '../usage-chart.ts'

type Days = Pick<UsageReport, 'month' | 'days' | 'unrecorded' | 'used'>

/** Draws the chart of a month in all sizes. The style sheet shows the one that fits. */
export async function drawUsageCharts({ month, days, used }: Days): Promise<readonly string[]> {
  const title = `Requests per day, ${formatMonthName(month)}`
  const busiest = days.reduce((best, day) => (day.used > best.used ? day : best))
  const most =
    busiest.used > 0 ? `, most of them on ${formatDayName(busiest.span)} (${formatNumber(busiest.used)})` : ''
  const description = `${formatCount(used, 'request')} in this month${most}. The table has the numbers.`
  const sizes = Object.keys(CHART_SIZES) as (keyof typeof CHART_SIZES)[]
  return await Promise.all(sizes.map((size) => drawUsageChart({ month, days, size, title, description })))
}

/** The requests of each day of a month as a chart. */
export function UsageFigure({ charts, report }: { readonly charts: readonly string[]; readonly report: Days }) {
  return (
    <figure class="usage">
      {charts.map((svg) => (
        // Made by Vega from numbers; drawUsageChart escapes the texts.
        <div key={svg} dangerouslySetInnerHTML={{ __html: svg }} />
      ))}
      {report.unrecorded > 0 && (
        <p class="quiet">
          The chart does not show {formatCount(report.unrecorded, 'request')} whose day was not recorded.
        </p>
      )}
    </figure>
  )
}

/** The numbers of the chart. */
export function DayTable({ report: { month, days, unrecorded, used } }: { readonly report: Days }) {
  const rows = days.map((day) => [formatDayName(day.span), formatNumber(day.used)])
  const rest = unrecorded > 0 ? [['Day not recorded', formatNumber(unrecorded)]] : []
  return (
    <Table
      caption={`Requests per day, ${formatMonthName(month)}`}
      head={['Day (UTC)', 'Requests']}
      numeric={[1]}
      rows={[...rows, ...rest, ['Total', formatNumber(used)]]}
    />
  )
}
