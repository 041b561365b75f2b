import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import jsonLogic from 'json-logic-js'
import { expect, inject, test } from 'vitest'
import { detectors } from '../../plugins/index.ts'
import { Ruleset } from '../../src/engine/lookup/ruleset.ts'
import { buildPage } from '../../src/engine/page/page.ts'
import { detect } from '../../src/engine/verdict/detect.ts'
import { toResult } from '../../src/engine/verdict/result.ts'
import { ownFolder } from '../../src/rules/built.ts'
import type { Conformance } from '../../src/rules/conformance.ts'
import { discoverRules } from '../../src/rules/discover.ts'
import { computeFingerprint } from '../../src/rules/fingerprint.ts'
import { readFixtures } from '../../src/rules/fixtures.ts'
import { importRuleset, type PortableRuleset } from '../../src/rules/ruleset-json.ts'

/** Reads a file that `rules build` writes for other implementations. */
const readDist = (name: string) => JSON.parse(readFileSync(join(inject('builtProject'), 'dist', name), 'utf8'))
const built: PortableRuleset = readDist('ruleset.json')
const cases: Conformance = readDist('conformance.json')

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

test('page → the ten fields: the exported ruleset returns the same result', () => {
  const loaded = Ruleset.of(importRuleset(built), detectors)
  const sample = cases.pages.filter((_, i) => i % 15 === 0)
  const wrong = sample.filter(({ page, result }) => {
    return JSON.stringify(toResult(detect(loaded, buildPage(page)))) !== JSON.stringify(result)
  })
  expect(wrong).toEqual([])
})

test('the cases are of this ruleset, and contain each page of its tests', () => {
  const pages = new Set(cases.pages.map(({ page }) => JSON.stringify(page)))
  const sample = discoverRules(ownFolder).rules.filter((_, i) => i % 20 === 0)
  const inputs = sample.flatMap((rule) => readFixtures(rule).fixtures.map(({ input }) => JSON.stringify(input)))
  expect(inputs.filter((input) => !pages.has(input))).toEqual([])
  expect(inputs.length).toBeGreaterThan(100)
  expect([built.version, cases.version]).toEqual(Array(2).fill(computeFingerprint([ownFolder], detectors)))
})
