import type { Ruleset, RuleTypeClause } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import type { CompiledRule } from '../rule/types.ts'
import { MAX_TECHNOLOGIES } from '../text/bounds.ts'
import { chooseBuilder, findCandidates, hasOwnProof, listTechnologies } from './choose.ts'
import { type PageHits, type Reach, readHits } from './hits.ts'
import { dropExcluded, dropUnrequired, liftImplied, type ScoredRules } from './relations.ts'
import { applyResponse, chooseResponse, hidesSiteType } from './response.ts'
import { ScoredRule } from './score.ts'
import { findHeldTypeClauses, isTypable } from './site-type.ts'

/** This many mutually exclusive builders at once indicate a honeypot. */
const MIN_HONEYPOT_BUILDERS = 3

/** What the rules find on a page. */
export interface Analysis {
  readonly hits: PageHits
  /** Every rule with a hit, except site types. */
  readonly scored: readonly ScoredRule[]
  /** Builders and technologies that scored. */
  readonly products: ScoredRules
  /** Hosting providers that scored. */
  readonly providers: ScoredRules
  readonly builder: ScoredRule | null
  /** Rules of what came back instead of the site, and the one that says it. */
  readonly responses: ScoredRules
  readonly response: ScoredRule | null
  /** Number of technologies that were found. At most `MAX_TECHNOLOGIES` are listed. */
  readonly technologyCount: number
  readonly technologies: readonly ScoredRule[]
  /** The clauses of site types that hold; empty for a page that cannot have a site type. */
  readonly heldTypeClauses: readonly RuleTypeClause[]
}

/** Scores all rules on a page, applies the relations between them, and decides the builder and the technologies. */
export function analyzePage(ruleset: Ruleset, page: Page, reach: Reach = 'all'): Analysis {
  const hits = readHits(ruleset, page, reach)
  const scored = Array.from(hits.lifted, (rule) => new ScoredRule(rule, hits))
  const products = indexScored(scored, ({ kind }) => kind === 'builder' || kind === 'technology')
  const providers = indexScored(scored, ({ kind }) => kind === 'hosting')
  const responses = indexScored(scored, ({ kind }) => kind === 'response')
  const response = chooseResponse([...responses.values()])
  if (response) applyResponse(response, { products, providers }, ruleset)

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
  const technologies = found.slice(0, MAX_TECHNOLOGIES)
  const heldTypeClauses =
    isTypable(page) && !hidesSiteType(response) ? findHeldTypeClauses(hits, { technologies, builder }) : []
  const technologyCount = found.length
  return {
    hits,
    scored,
    products,
    providers,
    responses,
    response,
    builder,
    technologyCount,
    technologies,
    heldTypeClauses,
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
