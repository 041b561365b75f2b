import type { Ruleset } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import type { CompiledRule } from '../rule/types.ts'
import { boundWarnings, cutText, MAX_EVIDENCE, MAX_EVIDENCE_TEXT, MAX_TECHNOLOGIES, MAX_URL } from '../text/bounds.ts'
import { chooseBuilder, chooseHosting, findCandidates, hasOwnProof, listTechnologies } from './choose.ts'
import { type PageHits, readHits } from './hits.ts'
import { dropExcluded, dropUnrequired, liftImplied, type ScoredRules } from './relations.ts'
import { PageData, ScoredRule } from './score.ts'
import {
  chooseSiteType,
  explainSiteType,
  findHeldClauses,
  type HeldClause,
  isTypable,
  scoreSiteTypes,
} from './site-type.ts'
import type { Evidence, Verdict } from './verdict-types.ts'
import { listVersions } from './versions.ts'

/** This many mutually exclusive builders at once indicate a honeypot. */
const MIN_HONEYPOT_BUILDERS = 3

/**
 * Detects what a page is made with. The function is pure: the same ruleset and page give the same verdict. It never throws.
 * It runs on the calling thread and cannot be stopped, so use it with trusted rules and detectors; `openDetector` has a
 * time limit.
 * @returns the verdict, with evidence for every rule that scored
 */
export function detect(ruleset: Ruleset, page: Page): Verdict {
  const { hits, scored, products, providers, builder, found, technologies } = detectProducts(ruleset, page)
  const origin = chooseHosting(providers, ruleset)
  const held = isTypable(page) ? findHeldClauses(ruleset, hits, { technologies, builder }) : []
  const types = held.length > 0 ? scoreSiteTypes(ruleset, held) : []
  const choice = chooseSiteType(types, page, ruleset.categories.siteTypes)
  const chosen = new Set<ScoredRule | null | undefined>([builder, origin, ...technologies])
  const scoring = [...products.values(), ...providers.values()]
  const fields = {
    url: page.url && cutText(page.url.href, MAX_URL),
    builder: builder?.rule.name ?? null,
    builderSlug: builder?.rule.slug ?? null,
    confidence: builder?.level ?? null,
    category: builder?.rule.category ?? null,
    isAiNative: builder?.rule.aiNative ?? false,
    technologies: technologies.map(({ rule }) => rule.name),
    hosting: origin === undefined ? null : (origin?.rule.name ?? inferHosting(builder, ruleset)),
    siteType: choice.chosen?.rule.slug ?? null,
    versions: listVersions(technologies, { products, ruleset }),
    warnings: boundWarnings([...page.warnings, ...hits.warnings, ...reportCuts(found, scoring)]),
    cost: { textsTested: hits.textsTested, rulesEvaluated: scored.length + new Set(held.map(({ rule }) => rule)).size },
  }
  const explain = (): Evidence[] => {
    const typeEvidence = explainSiteType(choice, held, { hits, ruleset })
    return cutTexts([...explainAll(scoring, chosen, MAX_EVIDENCE - typeEvidence.length), ...typeEvidence])
  }
  return new ExplainedVerdict(fields, explain) as unknown as Verdict
}

/** The builder, technologies and hosting, which are detected before the site type. */
interface Products {
  readonly hits: PageHits
  /** Every rule with a hit, except site types. */
  readonly scored: readonly ScoredRule[]
  /** Builders and technologies that scored. */
  readonly products: ScoredRules
  readonly providers: ScoredRules
  readonly builder: ScoredRule | null
  /** All technologies. The result lists at most `MAX_TECHNOLOGIES`. */
  readonly found: readonly ScoredRule[]
  readonly technologies: readonly ScoredRule[]
}

function detectProducts(ruleset: Ruleset, page: Page): Products {
  const hits = readHits(ruleset, page)
  const data = new PageData(hits, ruleset)
  const scored = Array.from(hits.lifted, (rule) => new ScoredRule(rule, data))
  const products = indexScored(scored, ({ kind }) => kind !== 'hosting')
  const providers = indexScored(scored, ({ kind }) => kind === 'hosting')

  dropUnrequired(products)
  liftImplied(products, ruleset.bySlug)
  const contenders = findCandidates(products, ruleset)
  dropExcluded(products)
  dropUnrequired(providers)
  liftImplied(providers, ruleset.hostingBySlug)
  dropExcluded(providers)

  const builder = chooseBuilder(products, ruleset)
  if (builder) settleConflict(builder, contenders, findCandidates(products, ruleset))
  const found = listTechnologies(products, providers, builder, ruleset)
  return { hits, scored, products, providers, builder, found, technologies: found.slice(0, MAX_TECHNOLOGIES) }
}

/**
 * Finds the clauses of site types that hold on a page.
 * @returns empty for a page that cannot have a site type
 */
export function detectTypeClauses(
  ruleset: Ruleset,
  page: Page,
): { readonly held: HeldClause[]; readonly hits: PageHits } {
  const { hits, technologies, builder } = detectProducts(ruleset, page)
  return { held: isTypable(page) ? findHeldClauses(ruleset, hits, { technologies, builder }) : [], hits }
}

/** What explains the marks of a page: the rules that score, and what their clauses hit. */
export interface Explained {
  readonly hits: PageHits
  /** Builders, technologies and hosting providers that score, before relations between rules leave some out. */
  readonly scoring: ReadonlySet<CompiledRule>
  readonly builder: string | null
}

/** Detects which rules explain something of a page. */
export function detectExplained(ruleset: Ruleset, page: Page): Explained {
  const { hits, scored, builder } = detectProducts(ruleset, page)
  const scoring = new Set(scored.filter(({ points }) => points > 0).map(({ rule }) => rule))
  return { hits, scoring, builder: builder?.rule.name ?? null }
}

/**
 * A verdict that builds its evidence on first access. `evidence` is an own, enumerable property, so that a spread, a
 * structured clone and JSON contain it. All verdicts share one getter and therefore one hidden class: an accessor in an
 * object literal costs more than the evidence itself.
 */
class ExplainedVerdict {
  static readonly #evidenceProperty: PropertyDescriptor & ThisType<ExplainedVerdict> = {
    enumerable: true,
    get() {
      return (this.#evidence ??= this.#explain())
    },
  }

  readonly #explain: () => readonly Evidence[]
  #evidence: readonly Evidence[] | undefined

  constructor(fields: Omit<Verdict, 'evidence'>, explain: () => readonly Evidence[]) {
    Object.assign(this, fields)
    this.#explain = explain
    Object.defineProperty(this, 'evidence', ExplainedVerdict.#evidenceProperty)
  }
}

function indexScored(scored: readonly ScoredRule[], wanted: (rule: CompiledRule) => boolean): ScoredRules {
  return new Map(scored.filter(({ rule, points }) => points > 0 && wanted(rule)).map((one) => [one.rule.slug, one]))
}

/** Lowers the builder to low on a honeypot, and to medium if an equal builder is high too. */
function settleConflict(builder: ScoredRule, before: readonly ScoredRule[], after: readonly ScoredRule[]): void {
  const rival = after.find((one) => one !== builder && one.level === 'high' && one.families === builder.families)
  if (before.filter(hasOwnProof).length >= MIN_HONEYPOT_BUILDERS) builder.level = 'low'
  else if (builder.level === 'high' && rival !== undefined) builder.level = 'medium'
  else return
  builder.note = 'conflicting'
}

function inferHosting(builder: ScoredRule | null, ruleset: Ruleset): string | null {
  if (builder?.level !== 'high' || builder.rule.hosting === undefined) return null
  return ruleset.hostingBySlug.get(builder.rule.hosting)?.name ?? null
}

/** Writes one sentence for each list of the result that was cut. */
function reportCuts(technologies: readonly ScoredRule[], scoring: readonly ScoredRule[]): string[] {
  const cuts: string[] = []
  if (technologies.length > MAX_TECHNOLOGIES)
    cuts.push(`only ${MAX_TECHNOLOGIES} of ${technologies.length} technologies are listed`)
  if (scoring.length > MAX_EVIDENCE) cuts.push(`evidence is listed for ${MAX_EVIDENCE} of ${scoring.length} rules`)
  return cuts
}

type Chosen = ReadonlySet<ScoredRule | null | undefined>

/** Builds the evidence of at most `most` rules. */
function explainAll(scoring: readonly ScoredRule[], chosen: Chosen, most: number): Evidence[] {
  const first = scoring.toSorted((a, b) => Number(chosen.has(b)) - Number(chosen.has(a)) || b.points - a.points)
  const shown = new Set(first.slice(0, most))
  return scoring.filter((one) => shown.has(one)).map((one) => buildEvidence(one, chosen.has(one)))
}

/** Omits texts that exceed the bound of the evidence. */
function cutTexts(evidence: readonly Evidence[]): Evidence[] {
  let left = MAX_EVIDENCE_TEXT
  const takeText = (text: string): boolean => {
    left -= text.length
    return left >= 0
  }
  return evidence.map((one) => ({
    ...one,
    clauses: one.clauses.map((clause) => ({ ...clause, texts: clause.texts.filter(takeText) })),
  }))
}

function buildEvidence(scored: ScoredRule, chosen: boolean): Evidence {
  const { rule, level, points, note } = scored
  return {
    kind: rule.kind,
    slug: rule.slug,
    name: rule.name,
    level,
    points,
    ...scored.explain(),
    chosen,
    ...(note && { note }),
  }
}
