import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { damageJson, listDamaged } from '../support/arbitrary-json.ts'
import { countRuns } from '../support/property-runs.ts'
import { CATEGORIES, findingsOf, writeFolder } from '../support/rule-folder.ts'

// JSON is YAML, so a rule can be written as JSON.
const RULE = {
  ...{ name: 'Acme', website: 'https://acme.com', category: 'cms', aiNative: false },
  detect: [
    { url: 'acme.com' },
    { meta: 'generator', match: '^Acme(?: ([\\d.]+))?', version: 1, weight: 'strong' },
    { all: [{ script: ['acme.js', '/acme/'], from: 'own' }, { not: { cookie: 'other' } }], weight: 'weak' },
    { of: [{ text: 'made with acme' }, { element: '.acme', attr: 'class', has: 'x' }], atLeast: 2 },
  ],
  ...{ implies: [], source: 'https://acme.com/docs', verified: '2026-11-20' },
}
const TEST = {
  hits: [
    {
      page: { url: 'https://acme.com/', headers: { server: 'x' }, html: '<p>', status: 200, dns: { a: ['1.2.3.4'] } },
      confidence: 'high',
      technologies: ['Acme'],
    },
  ],
  misses: [{ page: { url: 'https://example.com/acme', headers: [['server', 'x']] } }],
}

/** Lints a rule, and tests it if it has no error. */
const check = (rule: string, tests: string): number =>
  findingsOf(
    writeFolder({ 'categories.yaml': CATEGORIES, 'builders/acme.yaml': rule, 'builders/acme.test.yaml': tests }),
  ).length

/** The cases in which a value is an object that cannot be converted to a string. */
const listUnprintable = (valid: unknown): readonly string[] =>
  listDamaged(valid).filter((text) => text.includes('{"toString":0}'))

describe('values of other types in a rule and its test are findings, never an exception', () => {
  test('an object in the rule', () => {
    const texts = listUnprintable(RULE)
    expect(texts.length).toBeGreaterThan(30)
    expect(texts.filter((text) => check(text, JSON.stringify(TEST)) === 0)).toEqual([])
  })

  test('an object in the test', () => {
    const texts = listUnprintable(TEST)
    expect(texts.length).toBeGreaterThan(15)
    expect(texts.filter((text) => check(JSON.stringify(RULE), text) === 0)).toEqual([])
  })

  test('several changes in both', { tags: ['property'] }, () => {
    const any = fc.property(damageJson(RULE), damageJson(TEST), (rule, tests) => void check(rule, tests))
    fc.assert(any, { numRuns: countRuns(50) })
  })
})
