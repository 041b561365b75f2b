import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { kitPath } from './kit.ts'
import { findTypeErrors, findVersion, type TypedValue } from './programs.ts'
import { RULES_FILE, readBoard, readRules } from './promql.ts'

test('promtool accepts them, and their own tests pass', ({ skip }) => {
  const version = findVersion('promtool')
  if (version === null) skip('promtool is not installed (Debian: package prometheus): the rules were only parsed')
  const run = (...args: string[]): string => execFileSync('promtool', args, { encoding: 'utf8' })
  expect(run('check', 'rules', kitPath(RULES_FILE))).toContain(`${readRules().length} rules found`)
  expect(run('test', 'rules', kitPath('prometheus/siteprint.rules.test.yaml'))).toContain('SUCCESS')
})

describe('the board', () => {
  const { panels, ...board } = readBoard()
  const RAW = '@grafana/schema/dist/esm/raw'
  const OPTIONS: Readonly<Record<string, string>> = {
    stat: `${RAW}/composable/stat/panelcfg/x/StatPanelCfg_types.gen`,
    table: `${RAW}/composable/table/panelcfg/x/TablePanelCfg_types.gen`,
    timeseries: `${RAW}/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen`,
  }
  const graphs = panels.filter(({ type }) => type !== 'row')
  const dashboard = { name: 'board', module: `${RAW}/dashboard/x/Dashboard_types.gen`, type: 'Dashboard' }
  const typed: TypedValue[] = [
    { ...dashboard, value: { ...board, panels } },
    ...graphs.map(({ id, type, options }) => ({
      name: `panel ${id}`,
      module: OPTIONS[type],
      type: 'Options',
      value: options,
    })),
  ]

  test('has the types of Grafana', () => {
    expect(findTypeErrors(typed)).toEqual([])
  })

  test('unknown keys and wrong values are type errors', () => {
    const wrong = { ...dashboard, value: { ...board, panels: [{ ...graphs[0], titel: 'Nodes' }], graphTooltip: 7 } }
    const errors = findTypeErrors([wrong])
    expect(errors).toHaveLength(2)
    expect(errors.join()).toMatch(/Type '7' is not assignable[\s\S]*'"titel"' does not exist/)
  })
})
