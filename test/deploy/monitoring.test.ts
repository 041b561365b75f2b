import { describe, expect, test } from 'vitest'
import { Metrics } from '../../src/service/metrics.ts'
import { readKit } from './kit.ts'
import { listExpressions, listMetrics, parseExpression, readBoard, readRules } from './promql.ts'

const expressions = listExpressions()

/** Labels that Prometheus adds to each series of a scrape job. */
const SCRAPE_LABELS = ['job', 'instance']

/** Series → its labels, from the metrics in the code. A histogram has three series. */
async function listSeries(): Promise<Map<string, string[]>> {
  const metrics = new Metrics()
  const none = { waiting: 0, running: 0 }
  const switches = { maintenance: false, apiOff: false }
  metrics.watch(() => ({ scans: none, workers: none, inFlight: 0, isRedisUp: true, isStoreUp: true, switches }))
  const series = new Map([['up', SCRAPE_LABELS]])
  for (const metric of metrics.registry.getMetricsAsArray()) {
    const { name } = metric
    const labels = [...(Reflect.get(metric, 'labelNames') as string[]), ...SCRAPE_LABELS]
    series.set(name, labels)
    series.set(`${name}_bucket`, [...labels, 'le'])
    for (const end of ['count', 'sum']) series.set(`${name}_${end}`, labels)
  }
  for (const { record } of readRules()) if (record !== undefined) series.set(record, ['job', 'route', 'status'])
  return series
}

test('the grammar reports a syntax error, and the series and labels of an expression', () => {
  expect(parseExpression('sum by (a rate(x')).toHaveProperty('errors.length', 2)
  expect(parseExpression('sum by (a) (rate(x{b="c"}[5m])) / y')).toEqual({
    errors: [],
    selectors: [
      { name: 'x', labels: ['b'] },
      { name: 'y', labels: [] },
    ],
    groupings: ['a'],
  })
})

test.each(expressions)('%s is PromQL', (_, text) => {
  expect(parseExpression(text).errors).toEqual([])
})

test('every series of rules and board is a metric of the service, with labels that it has', async () => {
  const series = await listSeries()
  const known = new Set([...series.values()].flat())
  expect(listMetrics().length).toBeGreaterThan(15)
  for (const [place, text] of expressions) {
    const { selectors, groupings } = parseExpression(text)
    for (const { name, labels } of selectors) {
      expect(series.has(name), `${place}: ${name}`).toBe(true)
      expect(
        labels.filter((label) => !series.get(name)?.includes(label)),
        place,
      ).toEqual([])
    }
    expect(
      groupings.filter((label) => !known.has(label)),
      place,
    ).toEqual([])
  }
})

describe('the rules', () => {
  const rules = readRules()
  const alerts = rules.filter(({ alert }) => alert !== undefined)

  test('are alerts with a severity and two annotations, or recorded series', () => {
    for (const { alert, record, expr, labels, annotations, ...others } of rules) {
      expect([alert ?? record, alert === undefined, typeof expr]).toEqual([
        alert ?? record,
        record !== undefined,
        'string',
      ])
      expect(Object.keys(others).filter((key) => key !== 'for')).toEqual([])
      if (alert === undefined) continue
      expect(['critical', 'warning', 'info']).toContain(labels?.severity)
      expect(Object.keys(annotations ?? {})).toEqual(['summary', 'description'])
    }
    const names = rules.map(({ alert, record }) => alert ?? record)
    expect(names).toEqual([...new Set(names)])
  })

  test('docs/operating.md lists exactly the alerts of the rules', () => {
    const documented = readKit('../docs/operating.md').match(/(?<=^\| `)Siteprint\w+(?=` \|)/gm)
    expect(documented).toEqual(alerts.map(({ alert }) => alert))
  })
})

describe('the board', () => {
  const { panels } = readBoard()
  const graphs = panels.filter(({ type }) => type !== 'row')

  test('each panel has its own id, a description and queries, and covers no other', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { title, description, targets = [] } of graphs)
      expect([title, description?.endsWith('.'), targets.length > 0]).toEqual([title, true, true])
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
  })
})
