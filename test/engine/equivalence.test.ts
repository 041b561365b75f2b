import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { projectFolder } from '../../src/rules/built.ts'
import { countRuns } from '../support/property-runs.ts'
import { readRules } from '../support/real-cases.ts'
import { arbitraryCase } from './support/arbitrary-rules.ts'
import { buildTypeComparison, compare, type Engine, loadEngine } from './support/compare.ts'
import { handmadeCases } from './support/handmade-cases.ts'

const SETTLED = ['wordpress', 'shopify', 'mediawiki', 'docusaurus', 'wix', 'kajabi']
/** Of the pages of site types: the naive engine takes up to 10 ms for all types on a page. */
const types = readSiteTypes()
const typePages = types.fixtures.filter((_, i) => i % 3 === 0)
let engine: Engine

beforeAll(async () => {
  engine = await loadEngine(projectFolder())
})

/** Reads only the site types: all rules take seconds. */
function readSiteTypes(): ReturnType<typeof readRules> {
  const folder = mkdtempSync(join(tmpdir(), 'siteprint-types-'))
  try {
    cpSync(join(projectFolder(), 'rules', 'site-types'), join(folder, 'site-types'), { recursive: true })
    return readRules(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the indexed engine and the naive one give the same hits and points', () => {
  test.each(handmadeCases)('on a handmade case: %s', (_, one) => {
    expect([...compare(engine, [one])]).toEqual([])
  })

  test('on generated rules and pages', { tags: ['property'] }, () => {
    fc.assert(
      fc.property(arbitraryCase, (one) => void expect([...compare(engine, [one])]).toEqual([])),
      { numRuns: countRuns(200) },
    )
  })

  test(`for the clauses of ${types.rules.length} site types on ${typePages.length} test pages`, () => {
    const compareTypes = buildTypeComparison(engine, types.rules)
    const differences = typePages.flatMap(({ name, input }, i) =>
      compareTypes(input, { settled: [SETTLED[i % SETTLED.length]] }).map((one) => `${name}: ${one}`),
    )
    expect(types.rules.length).toBeGreaterThan(0)
    expect(differences).toEqual([])
  })
})
