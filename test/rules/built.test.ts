import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { SetupError } from '../../src/errors.ts'
import type { BuiltRuleset } from '../../src/rules/built.ts'
import { openRuleset } from '../../src/rules/open-ruleset.ts'
import { buildSmall } from './small-build.ts'

describe('a built file that our compiler did not write is rejected', () => {
  const variable = { var: ['c1', 0] }
  const deep = (depth: number): string => `${'{"!":['.repeat(depth)}{"var":["c1",0]}${']}'.repeat(depth)}`
  const expressions: [string, unknown][] = [
    ['code', { var: ['constructor.constructor', 0] }],
    ['a path out of the data', { var: ['c1.constructor', 0] }],
    ['a nested map', { map: [[1, 2], { map: [[1, 2], variable] }] }],
    ['a method', { method: ['x', 'constructor'] }],
    ['a numeric variable', { var: [0, 0] }],
    ['a variable without default', { var: ['c1'] }],
    ['a bare variable', { var: 'c1' }],
    ['an empty and', { and: [] }],
    ['an empty min', { min: [] }],
    ['two operations', { and: [variable], or: [variable] }],
    ['no operation', {}],
    ['text', 'c1'],
    ['a list', [variable]],
    ['null', null],
  ]
  const texts: [string, string][] = expressions.map(([name, logic]) => [name, JSON.stringify(logic)])
  const places = ['logic', 'holds', 'hits'].flatMap((key) =>
    [...texts, ['depth 20,000', deep(20_000)], ['depth 18', deep(18)]].map(([name, text]) => [name, key, text]),
  )

  test.each(places)('%s in %s', (_, key, text) => {
    const { own, built } = buildSmall()
    const parsed: BuiltRuleset = JSON.parse(readFileSync(built, 'utf8'))
    const [{ clauses, ...rule }] = parsed.rules
    const swap = { [key]: 'SWAP' }
    const rules = [{ ...rule, clauses: clauses.map((clause) => ({ ...clause, ...swap })), ...swap }]
    writeFileSync(built, JSON.stringify({ ...parsed, rules }).replaceAll('"SWAP"', text))
    expect(() => openRuleset({ own, detectors, built })).toThrow(SetupError)
    expect(() => openRuleset({ own, detectors, built })).toThrow(
      /ruleset\.json: the rule "acme" contains an expression that the compiler does not write; rebuild the file/,
    )
  })

  test.each<[string, (text: string) => string]>([
    ['truncated', (text) => text.slice(0, -20)],
    ['without rules', (text) => text.replace('"rules":[', '"rules":{},"x":[')],
    ['with null for a rule', (text) => text.replace('"rules":[', '"rules":[null,')],
    ['without categories', (text) => text.replace('"categories"', '"x"')],
  ])('%s', (_, change) => {
    const { own, built } = buildSmall()
    writeFileSync(built, change(readFileSync(built, 'utf8')))
    expect(() => openRuleset({ own, detectors, built })).toThrow(SetupError)
  })
})
