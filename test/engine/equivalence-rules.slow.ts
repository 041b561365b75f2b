import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { type NamedPage, readOwnRules } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import {
  buildComparison,
  buildTypeComparison,
  type Comparison,
  compare,
  type Engine,
  loadEngine,
} from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'

const own = readOwnRules()
// Clauses of site types have no weights, so they are compared separately.
const rules = own.rules.filter(({ kind }) => kind !== 'site-type')
const types = own.rules.filter(({ kind }) => kind === 'site-type')
const SETTLED = ['wordpress', 'shopify', 'mediawiki', 'docusaurus', 'wix', 'kajabi']
/** Pages of site types and a few of other rules: the naive engine takes up to 10 ms for all types on a page. */
const typePages = own.fixtures.filter(({ name }, i) => i % (name.startsWith('site-type/') ? 3 : 100) === 0)
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

  test(`for the clauses of ${types.length} site types on ${typePages.length} test pages`, () => {
    const compareTypes = buildTypeComparison(engine, types)
    const differences = typePages.flatMap(({ name, input }, i) =>
      compareTypes(input, { settled: [SETTLED[i % SETTLED.length]] }).map((one) => `${name}: ${one}`),
    )
    expect(types.length).toBeGreaterThan(0)
    expect(differences).toEqual([])
  }, 60_000)

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
