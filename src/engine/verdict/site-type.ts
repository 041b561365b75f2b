import type { Ruleset, RuleTypeClause } from '../lookup/ruleset.ts'
import { findHeader } from '../page/find-header.ts'
import type { Page } from '../page/page-types.ts'
import { applyLogic } from '../rule/logic.ts'
import type { RuleSummary, TypeDecision } from '../rule/types.ts'
import { testFound } from './found.ts'
import { buildVariables, holds } from './held-clauses.ts'
import type { PageHits } from './hits.ts'
import { listUnseen, readClauseTexts, type ScoredRule } from './score.ts'
import type { ClauseEvidence, Evidence } from './verdict-types.ts'

/** A page with fewer visible words can only get a site type that is marked `thin`. */
const MIN_VISIBLE_WORDS = 20

/** Maximum number of clauses that the evidence lists for one type: those that count most. */
const MAX_EVIDENCE_CLAUSES = 12

/** The decision of rulesets whose categories define none. */
const DEFAULT_DECISION: TypeDecision = { threshold: 1, margin: 0 }

/** A site type with its score on a page, in tenths of log-odds. */
export interface ScoredType {
  readonly rule: RuleSummary
  readonly score: number
}

/** The decision about the site type of a page. */
interface TypeChoice {
  readonly chosen: ScoredType | null
  /** All types, highest score first; equal scores by slug. */
  readonly ranking: readonly ScoredType[]
  /** Why no type was chosen. */
  readonly reason?: string
}

/** Whether a page can have a site type: an HTML document, not an error response. */
export function isTypable(page: Page): boolean {
  const contentType = findHeader(page.headers, 'content-type')
  const isHtml = contentType === undefined || /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i.test(contentType)
  return isHtml && (page.status ?? 200) < 400
}

/**
 * Finds the clauses of site types that hold. They come last, because they can depend on the builder and the
 * technologies.
 * @param detected the builder and the technologies of the verdict
 */
export function findHeldTypeClauses(
  hits: PageHits,
  { technologies, builder }: { readonly technologies: readonly ScoredRule[]; readonly builder: ScoredRule | null },
): RuleTypeClause[] {
  const { ruleset } = hits
  const products = technologies.map(({ rule }) => rule).filter((rule) => ruleset.bySlug.get(rule.slug) === rule)
  testFound(hits, { products, builder: builder?.rule })
  const held = new Set<RuleTypeClause>()
  for (const { rule, leaf } of hits.liftedTypeLeaves) {
    const one = ruleset.findTypeClause(rule, leaf)
    if (one !== undefined && !held.has(one) && holds(one.clause, one.leaves, hits)) held.add(one)
  }
  return [...held]
}

/** Scores every site type: its prior and the points that the clauses give it. */
export function scoreSiteTypes({ siteTypes }: Ruleset, held: readonly RuleTypeClause[]): ScoredType[] {
  const scores = siteTypes.map(({ prior = 0 }) => prior)
  for (const { points } of held) for (let i = 0; i < points.length; i++) scores[i] += points[i]
  return siteTypes.map((rule, i) => ({ rule, score: scores[i] }))
}

/**
 * Chooses the type with the highest score if it reaches the threshold and leads the second by its margin, and if the page has
 * enough text for it.
 */
export function chooseSiteType(
  types: readonly ScoredType[],
  { words }: Pick<Page, 'words'>,
  { threshold, margin, margins }: TypeDecision = DEFAULT_DECISION,
): TypeChoice {
  const ranking = types.toSorted((a, b) => b.score - a.score || (a.rule.slug < b.rule.slug ? -1 : 1))
  const [first, second] = ranking
  if (first === undefined) return { chosen: null, ranking }
  const reason =
    first.score < threshold
      ? 'too little evidence'
      : first.rule.unnamed
        ? 'no type fits'
        : second !== undefined && first.score - second.score < (margins?.[first.rule.slug] ?? margin)
          ? 'two types alike'
          : words < MIN_VISIBLE_WORDS && !first.rule.thin
            ? 'too little text'
            : undefined
  return reason === undefined ? { chosen: first, ranking } : { chosen: null, ranking, reason }
}

/** Explains the decision: the best type and the runner-up, each with the clauses that count most for or against it. */
export function explainSiteType(
  { chosen, ranking, reason }: TypeChoice,
  held: readonly RuleTypeClause[],
  hits: PageHits,
): Evidence[] {
  if (held.length === 0) return []
  return ranking.slice(0, 2).map((type, i) => {
    const { rule, score } = type
    const whole = hits.ruleset.siteTypesBySlug.get(rule.slug)
    const note = i === 0 ? reason : `second to ${ranking[0].rule.slug}`
    return {
      kind: rule.kind,
      slug: rule.slug,
      name: rule.name,
      level: null,
      points: score,
      clauses: explainTypeClauses(rule.slug, held, hits),
      unseen: whole === undefined ? [] : listUnseen(whole, hits),
      chosen: type === chosen,
      ...(note && { note }),
    }
  })
}

/** Lists the clauses that give points to a type, those that count most first. */
export function explainTypeClauses(
  type: string,
  held: readonly RuleTypeClause[],
  hits: PageHits,
  most = MAX_EVIDENCE_CLAUSES,
): ClauseEvidence[] {
  const counting = held.flatMap(({ clause, leaves }) => {
    const points = clause.points[type] ?? 0
    return points === 0 ? [] : [{ clause, leaves, points }]
  })
  const strongest = counting.sort(
    (a, b) => Math.abs(b.points) - Math.abs(a.points) || (a.clause.id < b.clause.id ? -1 : 1),
  )
  return strongest.slice(0, most).map(({ clause, leaves, points }) => ({
    clause: clause.text,
    places: [...new Set(leaves.map(({ place }) => place))],
    points,
    family: clause.family,
    hits: applyLogic(clause.hits, buildVariables(leaves, hits)),
    texts: readClauseTexts(leaves, hits),
  }))
}
