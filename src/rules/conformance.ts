import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { applyLogic, type Hits } from '../engine/rule/logic.ts'
import { detect } from '../engine/verdict/detect.ts'
import { readHits } from '../engine/verdict/hits.ts'
import { type Result, toResult } from '../engine/verdict/result.ts'
import { buildLogicData } from '../engine/verdict/score.ts'
import type { Fixture } from './fixtures.ts'

/** Test cases for other implementations of the engine, in two layers. */
export interface Conformance {
  readonly version: string
  /** Hits of one rule (`kind/slug`) → its points, for implementations that only evaluate the expressions. */
  readonly rules: readonly { readonly rule: string; readonly hits: Hits; readonly points: number }[]
  /** Page → the ten fields, for implementations that also parse pages. */
  readonly pages: readonly { readonly page: PageInput; readonly result: Result }[]
}

/** Builds the cases from the fixtures of the rules. */
export function buildConformance(ruleset: Ruleset, fixtures: readonly Fixture[]): Conformance {
  const cases = new Map<string, Conformance['rules'][number]>()
  const pages = fixtures.map(({ input }) => {
    const page = buildPage(input)
    const hits = readHits(ruleset, page)
    for (const rule of hits.lifted) {
      const data = buildLogicData(rule, hits, ruleset)
      const one = { rule: `${rule.kind}/${rule.slug}`, hits: data, points: applyLogic(rule.logic, data) }
      cases.set(JSON.stringify([one.rule, data]), one)
    }
    return { page: input, result: toResult(detect(ruleset, page)) }
  })
  return { version: ruleset.version, rules: [...cases.values()], pages }
}
