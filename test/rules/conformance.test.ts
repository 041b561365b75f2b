import jsonLogic from 'json-logic-js'
import { expect, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { linkSiteTypes } from '../../src/engine/rule/link-site-types.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { toResult } from '../../src/engine/verdict/result.ts'
import { type BuiltRuleset, buildRulesetFile, ownFolder } from '../../src/rules/built.ts'
import { buildConformance, type Conformance } from '../../src/rules/conformance.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { checkFolders } from '../../src/rules/load.ts'

// Other implementations get JSON, so the test writes and parses it.
const checked = checkFolders({ folders: [ownFolder], detectors })
const compiled = linkSiteTypes(checked.rules.flatMap((rule) => rule.compiled ?? []))
const ruleset = new Ruleset({ rules: compiled, categories: checked.categories, detectors, version: 'test' })
const fixtures = checked.rules.flatMap(({ found }) => readFixtures(found).fixtures)
const built: BuiltRuleset = JSON.parse(
  JSON.stringify(buildRulesetFile({ version: 'test', categories: checked.categories, rules: compiled })),
)
const cases: Conformance = JSON.parse(JSON.stringify(buildConformance(ruleset, fixtures)))

test('hits → points: plain JSON Logic computes the same points', () => {
  const bySlug = new Map(built.rules.map((rule) => [`${rule.kind}/${rule.slug}`, rule]))
  const wrong = cases.rules.filter(({ rule, hits, points }) => {
    const { logic = null } = bySlug.get(rule) ?? {}
    return jsonLogic.apply(JSON.parse(JSON.stringify(logic)), hits) !== points
  })
  expect(wrong).toEqual([])
  expect(new Set(cases.rules.map(({ rule }) => rule)).size).toBe(built.rules.length)
})

test('hits → clause: plain JSON Logic computes which clauses of site types hold', () => {
  const clauses = new Map(
    built.rules.flatMap(({ typeClauses = [] }) => typeClauses.map((one) => [one.id, one] as const)),
  )
  const wrong = cases.clauses.filter(({ clause, hits, holds }) => {
    return Boolean(jsonLogic.apply(JSON.parse(JSON.stringify(clauses.get(clause)?.holds ?? null)), hits)) !== holds
  })
  expect(wrong).toEqual([])
  expect(cases.clauses.some(({ holds }) => holds)).toBe(true)
})

test('page → the ten fields: the ruleset of the built file returns the same result', () => {
  const loaded = new Ruleset({ ...built, detectors })
  const wrong = cases.pages.filter(({ page, result }) => {
    return JSON.stringify(toResult(detect(loaded, buildPage(page)))) !== JSON.stringify(result)
  })
  expect(wrong).toEqual([])
  expect(cases.pages.length).toBe(fixtures.length)
})
