import { parseDocument } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { listPastDays } from '../../src/portal/months.ts'
import { CHART_SIZES, drawUsageChart, formatDay } from '../../src/portal/usage-chart.ts'

const AFTER = Date.UTC(2030, 0, 1)
const SIZES = Object.keys(CHART_SIZES) as (keyof typeof CHART_SIZES)[]

function draw(month: string, used: readonly number[], size: keyof typeof CHART_SIZES = 'wide'): Promise<string> {
  const days = listPastDays(month, AFTER)
    .slice(0, used.length)
    .map((span, i) => ({ span, used: used[i] }))
  return drawUsageChart({ month, days, size, title: 'Requests <per> day', description: '12 & more' })
}

/** The paths of a kind of mark. */
function findPaths(svg: string, name: string): string[] {
  const [, group = ''] = new RegExp(`<g class="mark-rect role-mark ${name}"[^>]*>(.*?)</g>`).exec(svg) ?? []
  return group.match(/<path .*?(?:\/>|<\/path>)/g) ?? []
}

function readLabels(svg: string, anchor: 'end' | 'middle'): string[] {
  return [...svg.matchAll(new RegExp(`text-anchor="${anchor}"[^>]*>([^<]*)<`, 'g'))].map(([, text]) => text)
}

describe('the axis of requests', () => {
  test.each([
    [0, ['0', '1', '2', '3', '4']],
    [1, ['0', '1', '2', '3', '4']],
    [7, ['0', '2', '4', '6', '8']],
    [45, ['0', '10', '20', '30', '40', '50']],
    [900, ['0', '200', '400', '600', '800', '1k']],
    [1500, ['0', '500', '1k', '1.5k']],
    [50_000, ['0', '10k', '20k', '30k', '40k', '50k']],
  ])('up to %i', async (most, labels) => {
    expect(readLabels(await draw('2026-11', [0, most, 0]), 'end')).toEqual(labels)
  })
})

describe('the axis of days', () => {
  const all = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i + 1}`)
  test.each([
    ['2026-02', 'wide', all(28)],
    ['2028-02', 'wide', all(29)],
    ['2026-12', 'wide', all(31)],
    ['2026-02', 'narrow', ['1', '5', '10', '15', '20', '25']],
    ['2026-12', 'narrow', ['1', '5', '10', '15', '20', '25', '30']],
  ] as const)('%s, %s', async (month, size, labels) => {
    expect(readLabels(await draw(month, [1], size), 'middle')).toEqual(labels)
  })
})

describe.each(SIZES)('%s', (size) => {
  test('every day has a bar as high as its requests, and a tooltip', async () => {
    const svg = await draw('2026-11', [0, 25, 50, 100], size)
    const heights = findPaths(svg, 'chart-bars').map((path) => Number(/v(-?[\d.]+)/.exec(path)?.[1]))
    expect(heights[0]).toBe(0)
    expect(heights.map((height) => height / heights[3]).slice(1)).toEqual(
      [0.25, 0.5, 1].map((part) => expect.closeTo(part)),
    )
    const titles = findPaths(svg, 'chart-days').map((path) => /<title>(.*)<\/title>/.exec(path)?.[1])
    expect(titles).toEqual([
      '1 November: 0 requests',
      '2 November: 25 requests',
      '3 November: 50 requests',
      '4 November: 100 requests',
    ])
  })

  test('is an image with a title and a description, and has no scripts and no inline styles', async () => {
    const svg = await draw('2026-11', [3], size)
    const { width, height } = CHART_SIZES[size]
    expect(
      svg.startsWith(`<svg class="chart chart-${size}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby=`),
    ).toBe(true)
    const [, ids = ''] = /aria-labelledby="([^"]*)"/.exec(svg) ?? []
    const texts = ids.split(' ').map((id) => new RegExp(`id="${id}">([^<]*)<`).exec(svg)?.[1])
    expect(texts).toEqual(['Requests &lt;per&gt; day', '12 &amp; more'])
    expect(svg).not.toMatch(/style|<script|\son\w+=|href|url\(/)
    expect(parseDocument(svg, { xmlMode: true }).children).toHaveLength(1)
  })
})

test('concurrent charts do not mix', async () => {
  const months = ['2025-01', '2025-02', '2025-03', '2025-04']
  const charts = await Promise.all(months.map((month, i) => draw(month, [i, i, i])))
  expect(
    charts.map((svg) => findPaths(svg, 'chart-days').map((path) => /<title>(.*)<\/title>/.exec(path)?.[1])),
  ).toEqual(
    ['January', 'February', 'March', 'April'].map((month, i) =>
      [1, 2, 3].map((day) => `${day} ${month}: ${i} request${i === 1 ? '' : 's'}`),
    ),
  )
})

test('a chart with other numbers is not taken from the cache', async () => {
  const [first, second] = [await draw('2026-11', [1, 2]), await draw('2026-11', [1, 3])]
  expect(first).not.toBe(second)
  expect(await draw('2026-11', [1, 2])).toBe(first)
})

test.each([
  ['2026-05-03', 0, '3 May: 0 requests'],
  ['2026-05-03', 1, '3 May: 1 request'],
  ['2026-12-31', 1250, '31 December: 1,250 requests'],
])('%s with %i', (day, used, text) => {
  expect(formatDay(day, used)).toBe(text)
})
