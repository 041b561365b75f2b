import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { readOwnRules } from '../support/real-cases.ts'
import { buildComparison, loadEngine } from './support/compare.ts'

const own = readOwnRules()
// Clauses of site types have no weights, so they are compared separately, in `equivalence.test.ts`.
const rules = own.rules.filter(({ kind }) => kind !== 'site-type')

test(`the indexed engine and the naive one give the same hits and points on the ${own.fixtures.length} test pages of ${rules.length} rules`, async () => {
  const comparison = buildComparison(await loadEngine(projectFolder()), rules)
  // Each page has its own part of the rules.
  const differences = own.fixtures.flatMap(({ name, input }, at) => {
    const [, slug] = /\/(\S+) /.exec(name) ?? []
    return comparison(input, { part: { slug, at, of: 600 } }).map((difference) => `${name}: ${difference}`)
  })
  expect(rules.length).toBeGreaterThan(0)
  expect(differences).toEqual([])
}, 120_000)
