import type { CompiledRule, TypeDecision, TypePoints } from '../../engine/rule/types.ts'
import { chooseSiteType, type ScoredType } from '../../engine/verdict/site-type.ts'
import { FOLDS, findFold, type LabelledSite } from './labelled-pages.ts'
import { fitRegression, type Sample } from './regression.ts'

/** Tenths of log-odds per nat. */
const TENTHS = 10
/** Points below this are omitted. */
const MIN_POINTS = 3
/** Types with fewer labelled pages are written by hand. */
export const MIN_LABELLED_PAGES = 20

/** Points by clause and type, and the prior of each type. */
export interface Points {
  readonly clauses: ReadonlyMap<string, TypePoints>
  readonly priors: Readonly<Record<string, number>>
}

/** The types of a ruleset: those whose points are fitted, and all. */
export interface Types {
  readonly all: readonly CompiledRule[]
  /** Slugs of the types whose points and priors are fitted. */
  readonly fitted: ReadonlySet<string>
}

/** Reads the points that the rules contain. */
export function readPoints({ all }: Types): Points {
  const clauses = all.flatMap(({ typeClauses = [] }) => typeClauses)
  return {
    clauses: new Map(clauses.map(({ id, points }) => [id, points])),
    priors: Object.fromEntries(all.map(({ slug, prior = 0 }) => [slug, prior])),
  }
}

/**
 * Fits the points of all clauses of fitted types, and the priors of these types. Everything that is written by hand stays: the
 * clauses of the other types, and the points that a clause of a fitted type gives to them.
 */
export function fitPoints(pages: readonly LabelledSite[], types: Types): Points {
  const slugs = types.all.map(({ slug }) => slug)
  const known = readPoints(types)
  const columns = new Map<string, number>()
  for (const { slug, typeClauses = [] } of types.all)
    if (types.fitted.has(slug)) for (const { id, byHand } of typeClauses) if (!byHand) columns.set(id, columns.size)
  const fitted = slugs.flatMap((slug, k) => (types.fitted.has(slug) ? [k] : []))
  const labelled = pages.filter(({ siteType }) => slugs.includes(siteType))
  const sample: Sample = {
    rows: labelled.map(({ clauses }) => clauses.flatMap((id) => columns.get(id) ?? [])),
    labels: labelled.map(({ siteType }) => slugs.indexOf(siteType)),
    offsets: labelled.map((page) => findOffsets(page, known, { slugs, columns, types })),
  }
  const model = fitRegression(sample, {
    columns: columns.size,
    classes: slugs.length,
    fitted,
    owners: [...columns.keys()].map((id) => slugs.indexOf(id.split(':')[0])),
    minWeight: (MIN_POINTS - 0.5) / TENTHS,
  })
  const clauses = new Map(known.clauses)
  for (const [id, column] of columns) {
    const points: Record<string, number> = {}
    for (const [k, slug] of slugs.entries()) {
      const value = types.fitted.has(slug)
        ? Math.round(TENTHS * model.weights[column * slugs.length + k])
        : (known.clauses.get(id)?.[slug] ?? 0)
      if (Math.abs(value) >= MIN_POINTS) points[slug] = value
    }
    clauses.set(id, sortPoints(points, id.split(':')[0]))
  }
  const priors = { ...known.priors }
  for (const k of fitted) priors[slugs[k]] = Math.round(TENTHS * model.biases[k])
  return { clauses, priors }
}

/** Sorts points: the clause's own type first, then the largest amounts. */
function sortPoints(points: TypePoints, own: string): TypePoints {
  const sorted = Object.entries(points).sort(
    ([a, x], [b, y]) => Number(b === own) - Number(a === own) || Math.abs(y) - Math.abs(x) || (a < b ? -1 : 1),
  )
  return Object.fromEntries(sorted)
}

/** Finds the part of the scores of a page that the fit does not change, in nats. */
function findOffsets(
  { clauses }: LabelledSite,
  known: Points,
  { slugs, columns, types }: { slugs: readonly string[]; columns: ReadonlyMap<string, number>; types: Types },
): Float64Array {
  const offsets = new Float64Array(slugs.length)
  for (const [k, slug] of slugs.entries()) {
    const byHand = !types.fitted.has(slug)
    let tenths = byHand ? known.priors[slug] : 0
    for (const id of clauses) if (byHand || !columns.has(id)) tenths += known.clauses.get(id)?.[slug] ?? 0
    offsets[k] = tenths / TENTHS
  }
  return offsets
}

/** Scores a page with given points, as the engine does with those of the rules. */
function scorePage({ clauses }: LabelledSite, points: Points, { all }: Types): ScoredType[] {
  return all.map((rule) => {
    let score = points.priors[rule.slug] ?? 0
    for (const id of clauses) score += points.clauses.get(id)?.[rule.slug] ?? 0
    return { rule, score }
  })
}

/** A labelled page and what the points say about it. */
export interface Prediction {
  readonly page: LabelledSite
  /** The type, or null; `NO_TYPE` never. */
  readonly named: string | null
  /** The best type, even if it is not named; null if the page fits none. */
  readonly best: string | null
  /** Lead of the best type over the second. */
  readonly lead: number
}

/** Names the types of pages. */
export function predict(
  pages: readonly LabelledSite[],
  points: Points,
  types: Types,
  decision: TypeDecision,
): Prediction[] {
  return pages.map((page) => {
    const scored = page.clauses.length === 0 ? [] : scorePage(page, points, types)
    const { chosen, ranking } = chooseSiteType(scored, page, decision)
    const { chosen: anyhow } = chooseSiteType(scored, page, { threshold: Number.NEGATIVE_INFINITY, margin: 0 })
    const lead = ranking.length > 1 ? ranking[0].score - ranking[1].score : 0
    return { page, named: chosen?.rule.slug ?? null, best: anyhow?.rule.slug ?? null, lead }
  })
}

/** Predicts each page with points that were fitted to the pages of other sites. */
export function crossValidate(pages: readonly LabelledSite[], types: Types, decision: TypeDecision): Prediction[] {
  return Array.from({ length: FOLDS }, (_, fold) => {
    const points = fitPoints(
      pages.filter(({ site }) => findFold(site) !== fold),
      types,
    )
    return predict(
      pages.filter(({ site }) => findFold(site) === fold),
      points,
      types,
      decision,
    )
  }).flat()
}
