import type { Ruleset } from '../engine/lookup/ruleset.ts'
import { buildPage, type PageInput } from '../engine/page/page.ts'
import type { Variables } from '../engine/rule/logic.ts'
import type { Leaf } from '../engine/rule/types.ts'
import { analyzePage } from '../engine/verdict/analyze-page.ts'
import { describeAnalysis } from '../engine/verdict/detect.ts'
import { buildVariables, holds } from '../engine/verdict/held-clauses.ts'
import type { PageHits } from '../engine/verdict/hits.ts'
import { type Result, toResult } from '../engine/verdict/result.ts'
import { ScoredRule } from '../engine/verdict/score.ts'
import { scoreSiteTypes } from '../engine/verdict/site-type.ts'
import type { Fixture } from './fixtures.ts'

/** Test cases for other implementations of the engine, in two layers. */
export interface Conformance {
  readonly version: string
  /** Hits of one rule (`kind/slug`) → its points, or clauses that hold → the score of a site type, for implementations that only evaluate the expressions. */
  readonly rules: readonly { readonly rule: string; readonly hits: Variables; readonly points: number }[]
  /** Hits of one clause of a site type → whether it holds. */
  readonly clauses: readonly { readonly clause: string; readonly hits: Variables; readonly holds: boolean }[]
  /** Page → the ten fields, for implementations that also parse pages. */
  readonly pages: readonly { readonly page: PageInput; readonly result: Result }[]
}

/** Builds the cases from the fixtures of the rules. */
export function buildConformance(ruleset: Ruleset, fixtures: readonly Fixture[]): Conformance {
  const cases = new Map<string, Conformance['rules'][number]>()
  const clauses = new Map<string, Conformance['clauses'][number]>()
  const pages = fixtures.map(({ input }) => {
    const page = buildPage(input)
    const analysis = analyzePage(ruleset, page)
    const { hits, heldTypeClauses: held } = analysis
    const best = scoreSiteTypes(ruleset, held).sort((a, b) => b.score - a.score)
    for (const { rule, score } of held.length > 0 ? best.slice(0, 2) : []) {
      const data = Object.fromEntries(held.map(({ clause }) => [clause.id, 1]))
      cases.set(JSON.stringify([rule.slug, data]), { rule: `${rule.kind}/${rule.slug}`, hits: data, points: score })
    }
    for (const { rule, leaf } of hits.liftedTypeLeaves) {
      const one = ruleset.findTypeClause(rule, leaf)
      if (one === undefined) continue
      const { clause, leaves } = one
      const data = buildPortableVariables(leaves, hits)
      clauses.set(JSON.stringify([clause.id, data]), {
        clause: clause.id,
        hits: data,
        holds: holds(clause, leaves, hits),
      })
    }
    for (const rule of hits.lifted) {
      const data = buildPortableVariables(rule.leaves, hits)
      const one = { rule: `${rule.kind}/${rule.slug}`, hits: data, points: new ScoredRule(rule, hits).points }
      cases.set(JSON.stringify([one.rule, data]), one)
    }
    return { page: input, result: toResult(describeAnalysis(ruleset, page, analysis)) }
  })
  return { version: ruleset.version, rules: [...cases.values()], clauses: [...clauses.values()], pages }
}

/** Builds the data of the expressions of the portable form: hits, seen places, and the files of sibling hosts that leaves need. */
export function buildPortableVariables(leaves: readonly Leaf[], hits: PageHits): Variables {
  return Object.assign({}, ...leaves.map((leaf) => ({ ...buildVariables([leaf], hits), ...readSiblings(leaf, hits) })))
}

/** Reads which files of sibling hosts a leaf needs to reach `atLeast`: 1 for scripts or style sheets, 2 for other files. */
function readSiblings(leaf: Leaf, hits: PageHits): Variables {
  const { siblingId, atLeast = 1 } = leaf
  const isFound = hits.count(leaf, 'site') > 0
  if (siblingId === undefined || !isFound || hits.count(leaf, 'host') >= atLeast) return {}
  return { [siblingId]: hits.count(leaf, 'code') >= atLeast ? 1 : 2 }
}
