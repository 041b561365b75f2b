import { parser } from '@prometheus-io/lezer-promql'
import { readKit, readYaml } from './kit.ts'

/** A time series that an expression reads, with the labels of its matchers. */
interface Selector {
  readonly name: string
  readonly labels: readonly string[]
}

/** The parts of an expression. */
export interface ParsedExpression {
  /** Positions of syntax errors. */
  readonly errors: readonly number[]
  readonly selectors: readonly Selector[]
  /** Labels of `by`, `without`, `on` and `ignoring`. */
  readonly groupings: readonly string[]
}

/** Parses a PromQL expression with the grammar of Prometheus. Variables of Grafana count as a duration. */
export function parseExpression(text: string): ParsedExpression {
  const expression = text.replaceAll('$__rate_interval', '5m')
  const errors: number[] = []
  const groupings: string[] = []
  const selectors: { name: string; labels: string[] }[] = []
  parser.parse(expression).iterate({
    enter({ name, type, node, from, to }) {
      if (type.isError) errors.push(from)
      const word = expression.slice(from, to)
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') selectors.push({ name: word, labels: [] })
      if (name !== 'LabelName') return
      if (node.parent?.name === 'GroupingLabels') groupings.push(word)
      else selectors.at(-1)?.labels.push(word)
    },
  })
  return { errors, selectors, groupings }
}

export interface Rule {
  readonly record?: string
  readonly alert?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[]
}

export const RULES_FILE = 'prometheus/siteprint.rules.yaml'

/** Returns the rules of all groups. */
export function readRules(): Rule[] {
  return readYaml<RuleFile>(RULES_FILE).flatMap(({ groups }) => groups.flatMap(({ rules }) => rules))
}

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly options?: object
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[]
}
interface Board {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[]
  }
}

export const readBoard = (): Board => JSON.parse(readKit('grafana/siteprint.json')) as Board

/** Returns every expression of the rules and the dashboard, with the place it is in. */
export function listExpressions(): [place: string, expression: string][] {
  const rules = readRules().map(({ record, alert, expr }): [string, string] => [`rule ${record ?? alert}`, expr])
  const { panels, templating } = readBoard()
  const queries = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, refId }): [string, string] => [`panel ${title}, ${refId}`, expr]),
  )
  const variables = templating.list.flatMap(({ name, query }): [string, string][] => {
    const selector = /^label_values\((.+), \w+\)$/.exec(typeof query === 'string' ? query : query.query)?.[1]
    return selector === undefined ? [] : [[`variable ${name}`, selector]]
  })
  return [...rules, ...queries, ...variables]
}

/** The names of the series that the rules and the dashboard read from the service, without recorded series and `up`. */
export function listMetrics(): string[] {
  const recorded = new Set(readRules().flatMap(({ record }) => record ?? []))
  const names = listExpressions().flatMap(([, text]) => parseExpression(text).selectors.map(({ name }) => name))
  return [...new Set(names)].filter((name) => name !== 'up' && !recorded.has(name)).sort()
}
