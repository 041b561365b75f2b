import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import type { Detector } from '../../src/engine/page/detector.ts'
import { SetupError } from '../../src/errors.ts'
import {
  type BuiltRuleset,
  computeFingerprint,
  computeState,
  identifyRules,
  listFolders,
  nameStateFile,
  type RulesetParts,
} from '../../src/rules/built.ts'
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
    ['with null for categories', (text) => text.replace('"categories"', '"categories":null,"x"')],
    ['with an object for a slug', (text) => text.replace('"rules":[', '"rules":[{"slug":{"toString":0}},')],
  ])('%s', (_, change) => {
    const { own, built } = buildSmall()
    writeFileSync(built, change(readFileSync(built, 'utf8')))
    expect(() => openRuleset({ own, detectors, built })).toThrow(SetupError)
  })
})

describe('files that have not changed since the build are not read', () => {
  const prepare = (): { own: string; built: string; detectors: readonly Detector[]; rule: string } => {
    const { own, built } = buildSmall()
    writeFileSync(nameStateFile(built), JSON.stringify({ version: 'as built', state: computeState([own], detectors) }))
    return { own, built, detectors, rule: join(own, 'builders', 'acme.yaml') }
  }

  test('the version comes from the build', () => {
    expect(identifyRules(prepare())).toBe('as built')
  })

  test.each<[string, (parts: ReturnType<typeof prepare>) => unknown]>([
    [
      'another byte, with the same size and time',
      ({ rule }) => {
        const { atime, mtime } = statSync(rule)
        writeFileSync(rule, readFileSync(rule, 'utf8').replace('acme', 'acne'))
        utimesSync(rule, atime, mtime)
      },
    ],
    ['an older copy', ({ rule }) => utimesSync(rule, 1, 1)],
    ['a rule was renamed', ({ rule }) => renameSync(rule, rule.replace('acme', 'other'))],
    ['a stray file', ({ own }) => writeFileSync(join(own, 'stray.txt'), '')],
    ['another folder', ({ own }) => ({ folders: [dirname(own)] })],
    ['fewer detectors', () => ({ detectors: detectors.slice(1) })],
    ['no state', ({ built }) => rmSync(nameStateFile(built))],
    ['a truncated state', ({ built }) => writeFileSync(nameStateFile(built), '{"version":"as built"')],
    ['a state that is not an object', ({ built }) => writeFileSync(nameStateFile(built), 'null')],
    ['a state without a version', ({ built }) => writeFileSync(nameStateFile(built), '{"state":"x"}')],
  ])('%s: the version is computed from the content', (_, change) => {
    const parts = prepare()
    const all: RulesetParts = Object.assign({}, parts, change(parts))
    expect(identifyRules(all)).toBe(computeFingerprint(listFolders(all), all.detectors))
  })
})
