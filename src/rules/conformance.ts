import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import { applyLogic, type Hits } from '../engine/rule/logic.ts'
import { detect, detectTypeClauses } from '../engine/verdict/detect.ts'
import { readHits } from '../engine/verdict/hits.ts'
import { type Result, toResult } from '../engine/verdict/result.ts'
import { PageData } from '../engine/verdict/score.ts'
import { scoreSiteTypes } from '../engine/verdict/site-type.ts'
import type { Fixture } from './fixtures.ts'

/** Test cases for other implementations of the engine, in two layers. */
export interface Conformance {
  readonly version: string
  /** Hits of one rule (`kind/slug`) → its points, or clauses that hold → the score of a site type, for implementations that only evaluate the expressions. */
  readonly rules: readonly { readonly rule: string; readonly hits: Hits; readonly points: number }[]
  /** Hits of one clause of a site type → whether it holds. */
  readonly clauses: readonly { readonly clause: string; readonly hits: Hits; readonly holds: boolean }[]
  /** Page → the ten fields, for implementations that also parse pages. */
  readonly pages: readonly { readonly page: PageInput; readonly result: Result }[]
}

/** Builds the cases from the fixtures of the rules. */
export function buildConformance(ruleset: Ruleset, fixtures: readonly Fixture[]): Conformance {
  const cases = new Map<string, Conformance['rules'][number]>()
  const clauses = new Map<string, Conformance['clauses'][number]>()
  const pages = fixtures.map(({ input }) => {
    const page = buildPage(input)
    const hits = readHits(ruleset, page)
    const values = new PageData(hits, ruleset)
    const { held } = detectTypeClauses(ruleset, page)
    const best = scoreSiteTypes(ruleset, held).sort((a, b) => b.score - a.score)
    for (const { rule, score } of held.length > 0 ? best.slice(0, 2) : []) {
      const data = Object.fromEntries(held.map(({ clause }) => [clause.id, 1]))
      cases.set(JSON.stringify([rule.slug, data]), { rule: `${rule.kind}/${rule.slug}`, hits: data, points: score })
    }
    for (const leaf of hits.liftedTypeLeaves) {
      const one = ruleset.typeClauses.get(leaf)
      if (one === undefined) continue
      const data = values.build(one.evaluated)
      const { id, holds } = one.clause
      clauses.set(JSON.stringify([id, data]), { clause: id, hits: data, holds: Boolean(applyLogic(holds, data)) })
    }
    for (const rule of hits.lifted) {
      const data = values.build(rule)
      const one = { rule: `${rule.kind}/${rule.slug}`, hits: data, points: applyLogic(rule.logic, data) }
      cases.set(JSON.stringify([one.rule, data]), one)
    }
    return { page: input, result: toResult(detect(ruleset, page)) }
  })
  return { version: ruleset.version, rules: [...cases.values()], clauses: [...clauses.values()], pages }
}
