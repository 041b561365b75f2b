import { isDeepStrictEqual } from 'node:util'
import jsonLogic from 'json-logic-js'
import { buildPage, type PageInput } from '../../../src/engine/page/page.ts'
import type { Variables } from '../../../src/engine/rule/logic.ts'
import type { Weight } from '../../../src/engine/rule/place.ts'
import type { PortableRule } from '../../../src/engine/rule/portable-rule.ts'
import type { ClauseSource, Logic, RuleSource } from '../../../src/engine/rule/types.ts'
import { buildPortableVariables } from '../../../src/rules/conformance.ts'
import { excludeVendorHosts } from '../../../src/rules/vendor-hosts.ts'
import { buildNaivePage, evaluateNaively, judgeTypeClauses } from './naive.ts'

/** The modules of an engine to compare: the real one, or a copy with a planted fault. */
export interface Engine {
  readonly page: typeof import('../../../src/engine/page/page.ts')
  readonly clause: typeof import('../../../src/engine/rule/clause.ts')
  readonly compile: typeof import('../../../src/engine/rule/compile.ts')
  readonly ruleset: typeof import('../../../src/engine/lookup/ruleset.ts')
  readonly hits: typeof import('../../../src/engine/verdict/hits.ts')
  readonly score: typeof import('../../../src/engine/verdict/score.ts')
  readonly siteType: typeof import('../../../src/engine/verdict/site-type.ts')
  readonly held: typeof import('../../../src/engine/verdict/held-clauses.ts')
  readonly logic: typeof import('../../../src/engine/rule/logic.ts')
  readonly portable: typeof import('../../../src/engine/rule/portable-rule.ts')
  readonly plugins: typeof import('../../../plugins/index.ts')
}

/** Loads the engine in a folder. */
export async function loadEngine(root: string): Promise<Engine> {
  const load = (path: string) => import(/* @vite-ignore */ `${root}/${path}.ts`)
  return {
    page: await load('src/engine/page/page'),
    clause: await load('src/engine/rule/clause'),
    compile: await load('src/engine/rule/compile'),
    ruleset: await load('src/engine/lookup/ruleset'),
    hits: await load('src/engine/verdict/hits'),
    score: await load('src/engine/verdict/score'),
    siteType: await load('src/engine/verdict/site-type'),
    held: await load('src/engine/verdict/held-clauses'),
    logic: await load('src/engine/rule/logic'),
    portable: await load('src/engine/rule/portable-rule'),
    plugins: await load('plugins/index'),
  }
}

/** Rules, and a page to run them on. */
export interface Case {
  readonly rules: readonly RuleSource[]
  readonly input: PageInput
  /** The values of the place `found`. */
  readonly settled: readonly string[]
}

/**
 * Rules to compare on a page, besides those that the index finds there: the rules of one slug, and one rule of every `of`,
 * beginning at `at`. The naive engine takes 50 µs for each rule, and most rules have nothing to do with a page.
 */
interface Part {
  readonly slug?: string
  readonly at: number
  readonly of: number
}

/** Runs rules on a page in both engines and lists the differences. */
export type Comparison = (
  input: PageInput,
  options?: { readonly settled?: readonly string[]; readonly part?: Part },
) => string[]

/** Builds the index of an engine over rules, once for any number of pages. */
export function buildComparison(engine: Engine, rules: readonly RuleSource[]): Comparison {
  const { detectors } = engine.plugins
  const places = engine.clause.indexPlaces(detectors)
  const ruleset = engine.ruleset.Ruleset.of(
    {
      rules: rules.map((rule) => engine.compile.compileRule(rule, places, excludeVendorHosts(rule))),
      categories: { builders: {}, technologies: {} },
      version: '',
    },
    detectors,
  )
  const compiled = ruleset.rules
  const portable = engine.portable.exportRules(compiled)
  return (input, { settled = [], part } = {}) => {
    const hits = engine.hits.readHits(ruleset, engine.page.buildPage(input))
    const found = ruleset.places.get(engine.clause.FOUND.key)
    for (const name of settled) if (found) hits.testFound(found, { name, text: name })
    const lifted = new Set(hits.lifted)
    const naive = buildNaivePage(buildPage(input), settled) // Always built by the real engine, so that a fault in the page is found.
    const differences = hits.warnings.map((warning) => `warning: ${warning}`)
    for (const [i, rule] of rules.entries()) {
      const isMeant = !part || lifted.has(compiled[i]) || rule.slug === part.slug || i % part.of === part.at % part.of
      if (!isMeant) continue
      const expected = evaluateNaively(rule, naive)
      const scored = lifted.has(compiled[i]) ? new engine.score.ScoredRule(compiled[i], hits) : { points: 0, held: [] }
      const { points } = scored
      const data = engine.held.buildVariables(compiled[i].leaves, hits)
      const got = compiled[i].clauses.map((clause) => engine.logic.applyLogic(clause.hits, data))
      for (const [n, clause] of rule.detect.entries())
        if (got[n] !== expected.hits[n])
          differences.push(`${rule.slug} ${JSON.stringify(clause)}: ${got[n]} hits, naive ${expected.hits[n]}`)
      if (points !== expected.points) differences.push(`${rule.slug}: ${points} points, naive ${expected.points}`)
      const { leaves } = compiled[i]
      // The portable form is evaluated twice; then a clause may weigh less with files of sibling hosts than here.
      if (hits.hasConditional && leaves.some(({ siblingId }) => siblingId !== undefined)) continue
      const whole = evaluatePortably(portable[i], buildPortableVariables(leaves, hits))
      const sure = evaluatePortably(portable[i], engine.held.buildVariables(leaves, hits, 'sure'))
      const isWhole = !hits.hasConditional || whole.points === sure.points
      const portably = isWhole ? whole : { ...whole, points: Math.max(sure.points, Math.min(5, whole.points)) }
      if (!isDeepStrictEqual(portably, { points, weights: scored.held.map(({ weight }) => weight) }))
        differences.push(`${rule.slug}: ${JSON.stringify(portably)} with the portable form`)
    }
    return differences
  }
}

/** Evaluates the portable form of a rule with the JSON Logic library alone: its points, and the weights of clauses that hold. */
function evaluatePortably(
  { clauses, logic }: PortableRule,
  hits: Variables,
): { readonly points: number; readonly weights: Weight[] } {
  const apply = (one: Logic): unknown => jsonLogic.apply(JSON.parse(JSON.stringify(one)), hits)
  const weights = clauses
    .filter(({ holds }) => apply(holds))
    .map(({ weight, ownHost = true, siblingCode = true }): Weight => {
      if (apply(ownHost)) return weight
      return apply(siblingCode) && weight === 'strong' ? 'medium' : 'weak'
    })
  return { points: Number(apply(logic)), weights }
}

/**
 * Builds a comparison of the clauses of site types that hold on a page, and of the scores.
 * @param types the rules of site types
 */
export function buildTypeComparison(engine: Engine, types: readonly RuleSource[]): Comparison {
  const { detectors } = engine.plugins
  const places = engine.clause.indexPlaces(detectors)
  const ruleset = engine.ruleset.Ruleset.of(
    {
      rules: types.map((rule) => engine.compile.compileRule(rule, places)),
      categories: { builders: {}, technologies: {} },
      version: '',
    },
    detectors,
  )
  return (input, { settled = [] } = {}) => {
    const hits = engine.hits.readHits(ruleset, engine.page.buildPage(input))
    const found = ruleset.places.get(engine.clause.FOUND.key)
    for (const name of settled) if (found) hits.testFound(found, { name, text: name })
    const held = engine.siteType.findHeldTypeClauses(hits, { technologies: [], builder: null })
    const ids = new Set(held.map(({ clause }) => clause.id))
    const naive = buildNaivePage(buildPage(input), settled)
    const expected = types.map((rule) => ({ rule, holds: judgeTypeClauses(rule, naive) }))
    const clauses = expected.flatMap(({ rule: { slug, detect }, holds }) =>
      detect.flatMap((clause, i) =>
        ids.has(`${slug}:${i + 1}`) === holds[i] ? [] : [`${slug} ${JSON.stringify(clause)}: naive ${holds[i]}`],
      ),
    )
    const scores = engine.siteType.scoreSiteTypes(ruleset, held).flatMap(({ rule: { slug }, score }) => {
      const wanted = sumPoints(slug, expected)
      return score === wanted ? [] : [`${slug}: score ${score}, naive ${wanted}`]
    })
    return [...clauses, ...scores]
  }
}

/** Adds the prior of a type and the points that clauses of all types give to it. */
function sumPoints(slug: string, types: readonly { readonly rule: RuleSource; readonly holds: boolean[] }[]): number {
  let sum = types.find(({ rule }) => rule.slug === slug)?.rule.prior ?? 0
  for (const { rule, holds } of types)
    for (const [i, { points }] of rule.detect.entries())
      if (holds[i]) sum += (points as Readonly<Record<string, number>> | undefined)?.[slug] ?? 0
  return sum
}

/** Compares case by case and yields the differences. */
export function* compare(engine: Engine, cases: Iterable<Case>): Generator<string> {
  for (const { rules, input, settled } of cases) yield* buildComparison(engine, rules)(input, { settled })
}

/** Builds a rule from clauses. */
export function buildRule(detect: readonly ClauseSource[], i = 0): RuleSource {
  return { kind: 'technology', slug: `rule-${i}`, name: `Rule ${i}`, detect, source: [], verified: '2026-11-20' }
}
