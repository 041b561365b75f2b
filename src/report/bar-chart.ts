import type { Spec } from 'vega'
import { defineChart } from '../charts/svg-chart.ts'

/**
 * Sizes of a chart, of which the style sheet shows one: an SVG image that is scaled to a phone would have tiny text.
 */
export const BAR_CHART_WIDTHS = { wide: 500, narrow: 280 } as const

/** A bar with its label and value above it. */
export interface Bar {
  readonly label: string
  /** Length of the bar, from 0. */
  readonly value: number
  /** The value in words, such as "1,250 (3.2%)". */
  readonly text: string
  /** Whether the bar is less prominent. */
  readonly isRest: boolean
}

export interface BarChart {
  /** Prefix of ids; unique in a page. */
  readonly id: string
  readonly size: keyof typeof BAR_CHART_WIDTHS
  readonly title: string
  readonly description: string
  readonly bars: readonly Bar[]
}

const ROW_PX = 42
const FONT_SIZE_PX = 13

/**
 * Draws horizontal bars below each other: SVG without scripts and style attributes. Colours belong to the style sheet (`.chart-bars`,
 * `.chart-rest`, `.chart-labels`, `.chart-values`). Labels that do not fit are cut.
 */
export function drawBarChart({ id, size, title, description, bars }: BarChart): Promise<string> {
  const width = BAR_CHART_WIDTHS[size]
  const height = bars.length * ROW_PX
  const className = `chart chart-${size}`
  return draw({ id: `chart-${id}-${size}`, className, width, height, title, description }, (view) =>
    view
      .width(width)
      .height(height)
      .signal('top', Math.max(1, ...bars.map(({ value }) => value)))
      .data(
        'bars',
        bars.map((bar, i) => ({
          ...bar,
          row: i * ROW_PX,
          room: (width - estimateWidth(bar.text)) * VEGA_WIDTH_FACTOR,
        })),
      ),
  )
}

/** Without a canvas, Vega assumes that each character is 0.8 em wide. This factor is how much too wide that is. */
const VEGA_WIDTH_FACTOR = 1.3

/** Pixels that a text takes at most, including a gap. */
function estimateWidth(text: string): number {
  return text.length * FONT_SIZE_PX * 0.62 + 16
}

const LABEL_Y = { field: 'row', offset: 17 }
const TEXT = { fontSize: { value: FONT_SIZE_PX } }

function buildBars(name: string, data: string): NonNullable<Spec['marks']>[number] {
  return {
    name,
    type: 'rect',
    aria: false,
    interactive: false,
    from: { data },
    encode: {
      enter: {
        x: { value: 0 },
        width: { signal: 'max(1, datum.value / top * width)' },
        y: { field: 'row', offset: 24 },
        height: { value: 10 },
        cornerRadius: { value: 2 },
      },
    },
  }
}

const SPECIFICATION: Spec = {
  padding: 0,
  autosize: 'none',
  signals: [{ name: 'top', value: 1 }],
  data: [
    { name: 'bars', values: [] },
    { name: 'named', source: 'bars', transform: [{ type: 'filter', expr: '!datum.isRest' }] },
    { name: 'rest', source: 'bars', transform: [{ type: 'filter', expr: 'datum.isRest' }] },
  ],
  marks: [
    buildBars('chart-bars', 'named'),
    buildBars('chart-rest', 'rest'),
    {
      name: 'chart-labels',
      type: 'text',
      aria: false,
      interactive: false,
      from: { data: 'bars' },
      encode: {
        enter: { ...TEXT, x: { value: 0 }, y: LABEL_Y, text: { field: 'label' }, limit: { field: 'room' } },
      },
    },
    {
      name: 'chart-values',
      type: 'text',
      aria: false,
      interactive: false,
      from: { data: 'bars' },
      encode: {
        enter: { ...TEXT, x: { signal: 'width' }, y: LABEL_Y, align: { value: 'right' }, text: { field: 'text' } },
      },
    },
  ],
}

const draw = defineChart(SPECIFICATION)
