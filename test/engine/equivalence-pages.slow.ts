import { expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { readOwnRules, readRealPages } from '../support/real-cases.ts'
import { buildComparison, loadEngine } from './support/compare.ts'

const own = readOwnRules()
// Clauses of site types are compared separately, in `equivalence.test.ts`.
const rules = own.rules.filter(({ kind }) => kind !== 'site-type')
const pages = readRealPages()

// The naive engine takes half a minute for them, so `npm test` compares both engines only on fixtures and generated
// pages.
test.skipIf(pages.length === 0)(
  `the indexed engine and the naive one give the same hits and points on ${pages.length} real pages`,
  async () => {
    const comparison = buildComparison(await loadEngine(projectFolder()), rules)
    const differences = pages.flatMap(({ name, input }, at) =>
      comparison(input, { part: { at, of: 64 } }).map((one) => `${name}: ${one}`),
    )
    expect(differences).toEqual([])
  },
  300_000,
)
