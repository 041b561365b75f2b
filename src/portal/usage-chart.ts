import { LRUCache } from 'lru-cache'
import type { Runtime, Spec, View } from 'vega'
import { formatCount, formatDayName } from './format-text.ts'
import { countDays } from './months.ts'
import type { SpanTotal } from './usage.ts'

/** The forms of the chart: text does not shrink with an SVG image that is scaled to a phone. The style sheet shows one of them. */
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

/** Vega is 150 ms of loading, so that a service whose portal is not used does without it. */
let renderer: Promise<{ readonly createView: () => View }> | undefined

/** 12 KB each. A chart takes about 1.5 ms, and accounts without requests share theirs. */
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
  const { createView } = await (renderer ??= openRenderer())
  const { width, height, dayStep } = CHART_SIZES[chart.size]
  const count = countDays(chart.month)
  const numbers = Array.from({ length: count }, (_, i) => i + 1)
  const bars = chart.days.map(({ span, used }) => ({ day: Number(span.slice(8)), used, label: formatDay(span, used) }))
  const view = createView()
    .width(width - MARGIN.left - MARGIN.right)
    .height(height - MARGIN.top - MARGIN.bottom)
    .signal('numbers', numbers)
    .signal('labels', chooseLabels(count, dayStep))
    .signal('top', Math.max(MIN_TOP, ...bars.map(({ used }) => used)))
    .data('days', bars)
  try {
    return dress(await view.toSVG(), chart)
  } finally {
    view.finalize()
  }
}

/** The days under the axis: the first one and multiples of a step. */
function chooseLabels(count: number, step: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i + 1).filter((day) => day === 1 || day % step === 0)
}

/** Formats the tooltip of a day, such as "3 May: 1,250 requests". */
export function formatDay(day: string, used: number): string {
  return `${formatDayName(day)}: ${formatCount(used, 'request')}`
}

async function openRenderer(): Promise<{ readonly createView: () => View }> {
  const vega = await import('vega')
  const runtime: Runtime = vega.parse(SPECIFICATION)
  return { createView: () => new vega.View(runtime, { renderer: 'none' }) }
}

/** What Vega writes around the label of a bar, and between the label and the other attributes. */
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

/** Replaces the opening tag with one that scales and has a title, and the labels of the bars with native tooltips. */
function dress(svg: string, { size, month, title, description }: UsageChart): string {
  const { width, height } = CHART_SIZES[size]
  const id = `chart-${size}-${month}`
  const head = [
    `<svg class="chart chart-${size}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${id}-title ${id}-desc">`,
    `<title id="${id}-title">${escapeText(title)}</title>`,
    `<desc id="${id}-desc">${escapeText(description)}</desc>`,
  ]
  const [start, ...bars] = svg.replace(/^<svg [^>]*>/, () => head.join('')).split(BAR_START)
  return [start, ...bars.map(addTooltip)].join('')
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

const BAR = { x: { scale: 'x', field: 'day' }, width: { scale: 'x', band: 1 } }

/** Numbers from 1,000 on are shortened, such as 2.5k. With one format for all of them, 500 would be 0.5k. */
const SHORT_NUMBER = "datum.value < 1000 ? format(datum.value, 'd') : format(datum.value, '~s')"

/** Attributes of colour are left to the style sheet, whose rules have precedence over them. */
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
