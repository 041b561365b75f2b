import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type NamedPage, readOwnRules, readRealPages } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { buildComparison, type Comparison, compare, type Engine, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'

const own = readOwnRules()
const pages = readRealPages()
let engine: Engine
let comparison: Comparison

beforeAll(async () => {
  engine = await loadEngine(projectFolder())
  comparison = buildComparison(engine, own.rules)
})

/** Where the two engines differ on pages, by the name of the page. */
function differencesOn(named: readonly NamedPage[]): string[] {
  return named.flatMap(({ name, input }) => comparison(input).map((difference) => `${name}: ${difference}`))
}

describe('the indexed engine equals the naive one: hits and points of every rule', () => {
  test(`on ${own.fixtures.length} pages of our ${own.rules.length} rules`, () => {
    expect(own.rules.length).toBeGreaterThan(0)
    expect(differencesOn(own.fixtures)).toEqual([])
  }, 120_000)

  test.skipIf(pages.length === 0)(
    `on ${pages.length} real pages`,
    () => {
      expect(differencesOn(pages)).toEqual([])
    },
    300_000,
  )

  test.each(handmadeCases)('on a case made by hand: %s', (_, one) => {
    expect([...compare(engine, [one])]).toEqual([])
  })

  test('on any rules and any page', () => {
    fc.assert(
      fc.property(arbitraryCase, (one) => void expect([...compare(engine, [one])]).toEqual([])),
      { numRuns: 4000 },
    )
  }, 120_000)
})
