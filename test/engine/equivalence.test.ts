import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type NamedPage, readOwnRules } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { buildComparison, type Comparison, compare, type Engine, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'

const own = readOwnRules()
// Clauses of site types have no hits and no weights of their own: `site-types.test.ts` tests their verdicts.
const rules = own.rules.filter(({ kind }) => kind !== 'site-type')
let engine: Engine
let comparison: Comparison

beforeAll(async () => {
  engine = await loadEngine(projectFolder())
  comparison = buildComparison(engine, rules)
})

/** Lists the differences between both engines, with the name of the page. Each page has its own part of the rules. */
function listDifferences(named: readonly NamedPage[]): string[] {
  return named.flatMap(({ name, input }, at) => {
    const [, slug] = /\/(\S+) /.exec(name) ?? []
    return comparison(input, { part: { slug, at, of: 150 } }).map((difference) => `${name}: ${difference}`)
  })
}

describe('the indexed engine and the naive one give the same hits and points', () => {
  test(`on the ${own.fixtures.length} test pages of ${rules.length} rules`, () => {
    expect(rules.length).toBeGreaterThan(0)
    expect(listDifferences(own.fixtures)).toEqual([])
  }, 120_000)

  test.each(handmadeCases)('on a handmade case: %s', (_, one) => {
    expect([...compare(engine, [one])]).toEqual([])
  })

  test('on generated rules and pages', () => {
    fc.assert(
      fc.property(arbitraryCase, (one) => void expect([...compare(engine, [one])]).toEqual([])),
      { numRuns: 1500 },
    )
  }, 120_000)
})
