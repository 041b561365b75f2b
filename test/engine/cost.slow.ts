import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { indexPlaces } from '../../src/engine/rule/clause.ts'
import { compileRule } from '../../src/engine/rule/compile.ts'
import type { CompiledRule } from '../../src/engine/rule/types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { generateRules } from '../../tools/bench/synthetic-rules.ts'
import { type NamedPage, readOwnRules, readRealPages } from '../support/real-cases.ts'

const { rules, categories, fixtures: all } = readOwnRules()
const fixtures = all.filter((_, i) => i % 5 === 0)
const bundle = Array.from({ length: 20_000 }, (_, i) => `function a${i}(e){return e.state+"${i}"}`).join('')
const built: NamedPage[] = [
  {
    name: 'a page with scripts',
    input: {
      html: '<script type=module src=/assets/index.js></script><link rel=stylesheet href=/assets/index.css>',
      scripts: [{ url: '/assets/index.js', text: bundle }],
      styles: [{ url: '/assets/index.css', text: ':root{--radius:1px}'.repeat(1000) }],
    },
  },
]
const pages = readRealPages().filter((_, i) => i % 7 === 0)
const places = indexPlaces(detectors)
const own = rules.map((rule) => compileRule(rule, places))
const buildRuleset = (all: readonly CompiledRule[]): Ruleset =>
  Ruleset.of({ rules: all, categories, version: '' }, detectors)
const few = buildRuleset(own)
const many = buildRuleset([...own, ...generateRules(3500, 1).map((rule) => compileRule(rule, places))])

/** Finds pages on which more rules cause more work or another verdict. */
function findDearerPages(named: readonly NamedPage[]): string[] {
  return named.flatMap(({ name, input }) => {
    const page = buildPage(input)
    const [before, after] = [detect(few, page), detect(many, page)]
    return JSON.stringify(before) === JSON.stringify(after)
      ? []
      : [`${name}: ${JSON.stringify([before.cost, after.cost])}`]
  })
}

test.each([
  ['every fifth page of the rule tests', fixtures],
  ['real pages', pages],
  ['pages with scripts', built],
])('3,500 unrelated rules change neither the work nor the verdict on %s', (_, named) => {
  expect(findDearerPages(named)).toEqual([])
})

test('the work is counted', () => {
  expect(fixtures.length).toBeGreaterThan(1000)
  const costs = fixtures.map(({ input }) => detect(few, buildPage(input)).cost)
  expect(Math.max(...costs.map(({ textsTested }) => textsTested))).toBeGreaterThan(5)
  expect(Math.max(...costs.map(({ rulesEvaluated }) => rulesEvaluated))).toBeLessThan(rules.length / 4)
})
