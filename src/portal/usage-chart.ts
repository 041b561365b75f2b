import { LRUCache } from 'lru-cache'
import type { Spec } from 'vega'
import { defineChart } from '../charts/svg-chart.ts'
import { formatCount, formatDayName } from '../views/format-text.ts'
import { countDays } from './months.ts'
import type { SpanTotal } from './usage.ts'

/**
 * Sizes of the chart, of which the style sheet shows one: an SVG image that is scaled to a phone would have tiny text.
 */
export const CHART_SIZES = {
  wide: { width: 1040, height: 240, dayStep: 1 },
  narrow: { width: 320, height: 200, dayStep: 5 },
} as const

export interface UsageChart {
  /** The chosen month, `YYYY-MM`. */
  readonly month: string
  /** The days with bars. */
  readonly days: readonly SpanTotal[]
  readonly size: keyof typeof CHART_SIZES
  readonly title: string
  readonly description: string
}

const MARGIN = { top: 12, right: 4, bottom: 26, left: 44 }
/** Without any requests the axis still needs a length. */
const MIN_TOP = 4
const FONT_SIZE_PX = 12

/** Each chart takes 12 KB and about 1.5 ms. Accounts without requests share theirs. */
const MAX_CACHED_CHARTS = 300
const cache = new LRUCache<string, string>({ max: MAX_CACHED_CHARTS })

/**
 * Draws the requests of each day of a month as bars: SVG without scripts and style attributes. Colours belong to the style sheet
 * (`.chart-bars`, `.role-axis-grid`, `.role-axis-label`). Every day has a native tooltip over the whole height.
 */
export async function drawUsageChart(chart: UsageChart): Promise<string> {
  const name = JSON.stringify(chart)
  const cached = cache.get(name)
  if (cached !== undefined) return cached
  const svg = await renderChart(chart)
  cache.set(name, svg)
  return svg
}

async function renderChart(chart: UsageChart): Promise<string> {
  const { month, size, title, description } = chart
  const { width, height, dayStep } = CHART_SIZES[size]
  const count = countDays(month)
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const bars = chart.days.map(({ span, used }) => ({ day: Number(span.slice(8)), used, label: formatDay(span, used) }))
  const image = { id: `chart-${size}-${month}`, className: `chart chart-${size}`, width, height, title, description }
  const svg = await draw(image, (view) =>
    view
      .width(width - MARGIN.left - MARGIN.right)
      .height(height - MARGIN.top - MARGIN.bottom)
      .signal('numbers', numbers)
      .signal('labels', chooseLabels(count, dayStep))
      .signal('top', Math.max(MIN_TOP, ...bars.map(({ used }) => used)))
      .data('days', bars),
  )
  return addTooltips(svg)
}

/** The days under the axis: the first one and multiples of a step. */
function chooseLabels(count: number, step: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1).filter((day) => day === 1 || day % step === 0)
}

/** Formats the tooltip of a day, such as "3 May: 1,250 requests". */
export function formatDay(day: string, used: number): string {
  return `${formatDayName(day)}: ${formatCount(used, 'request')}`
}

/** Markup that Vega writes around the label of a bar, and between the label and the other attributes. */
const BAR_START = '<path aria-label="'
const BAR_MIDDLE = '" role="graphics-symbol" aria-roledescription="rect mark" '

/** @param bar the SVG from the label of a bar to that of the next one */
function addTooltip(bar: string): string {
  const middle = bar.indexOf(BAR_MIDDLE)
  const end = bar.indexOf('/>', middle)
  if (middle === -1 || end === -1) return BAR_START + bar
  const attributes = bar.slice(middle + BAR_MIDDLE.length, end)
  return `<path ${attributes}><title>${bar.slice(0, middle)}</title></path>${bar.slice(end + 2)}`
}

/** Replaces the labels of the bars with native tooltips. */
function addTooltips(svg: string): string {
  const [start, ...bars] = svg.split(BAR_START)
  return [start, ...bars.map(addTooltip)].join('')
}

const BAR = { x: { scale: 'x', field: 'day' }, width: { scale: 'x', band: 1 } }

/** Numbers from 1,000 on are shortened, such as 2.5k. With one format for all of them, 500 would be 0.5k. */
const SHORT_NUMBER = "datum.value < 1000 ? format(datum.value, 'd') : format(datum.value, '~s')"

/** Colour attributes are left to the style sheet, whose rules have precedence over them. */
const SPECIFICATION: Spec = {
  padding: MARGIN,
  autosize: 'none',
  signals: [
    { name: 'numbers', value: [] },
    { name: 'labels', value: [] },
    { name: 'top', value: MIN_TOP },
  ],
  data: [{ name: 'days', values: [] }],
  scales: [
    { name: 'x', type: 'band', domain: { signal: 'numbers' }, range: 'width', padding: 0.25, round: true },
    { name: 'y', type: 'linear', domain: [0, { signal: 'top' }], range: 'height', nice: 4, zero: true },
  ],
  axes: [
    {
      orient: 'left',
      aria: false,
      scale: 'y',
      tickCount: 4,
      tickMinStep: 1,
      grid: true,
      encode: { labels: { update: { text: { signal: SHORT_NUMBER } } } },
      domain: false,
      ticks: false,
      labelPadding: 8,
      labelFontSize: FONT_SIZE_PX,
    },
    {
      orient: 'bottom',
      aria: false,
      scale: 'x',
      values: { signal: 'labels' },
      domain: false,
      ticks: false,
      labelPadding: 8,
      labelFontSize: FONT_SIZE_PX,
    },
  ],
  marks: [
    {
      name: 'chart-bars',
      type: 'rect',
      aria: false,
      interactive: false,
      from: { data: 'days' },
      encode: { enter: { ...BAR, y: { scale: 'y', field: 'used' }, y2: { scale: 'y', value: 0 } } },
    },
    {
      name: 'chart-days',
      type: 'rect',
      aria: true,
      from: { data: 'days' },
      encode: { enter: { ...BAR, y: { value: 0 }, y2: { signal: 'height' }, description: { field: 'label' } } },
    },
  ],
}

const draw = defineChart(SPECIFICATION)
