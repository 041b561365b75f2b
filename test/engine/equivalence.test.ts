import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type NamedPage, readOwnRules } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { buildComparison, type Comparison, compare, type Engine, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'

const own = readOwnRules()
let engine: Engine
let comparison: Comparison

beforeAll(async () => {
  engine = await loadEngine(projectFolder())
  comparison = buildComparison(engine, own.rules)
})

/** Lists the differences between both engines, with the name of the page. */
function listDifferences(named: readonly NamedPage[]): string[] {
  return named.flatMap(({ name, input }) => comparison(input).map((difference) => `${name}: ${difference}`))
}

describe('the indexed engine and the naive one give the same hits and points for every rule', () => {
  test(`on the ${own.fixtures.length} test pages of ${own.rules.length} rules`, () => {
    expect(own.rules.length).toBeGreaterThan(0)
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
