import type { Ruleset, RuleTypeClause } from '../lookup/ruleset.ts'
import type { Page } from '../page/page-types.ts'
import type { Family } from '../rule/place.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { MAX_TECHNOLOGIES } from '../text/bounds.ts'
import { chooseBuilder, findCandidates, hasOwnProof, listTechnologies } from './choose.ts'
import { type PageHits, readHits } from './hits.ts'
import { chooseResponse } from './page-state.ts'
import { dropExcluded, dropUnrequired, liftImplied, type ScoredRules } from './relations.ts'
import { ScoredRule } from './score.ts'
import { findHeldTypeClauses, isTypable } from './site-type.ts'

/** This many mutually exclusive builders at once indicate a honeypot. */
const MIN_HONEYPOT_BUILDERS = 3

/** What the rules find on a page. */
export interface Analysis {
  readonly hits: PageHits
  /** Every rule with a hit, except site types. */
  readonly scored: readonly ScoredRule[]
  /** The response rule that says what came back instead of the site; null if none holds. */
  readonly response: ScoredRule | null
  /** Builders and technologies that scored. */
  readonly products: ScoredRules
  /** Hosting providers that scored. */
  readonly providers: ScoredRules
  readonly builder: ScoredRule | null
  /** Number of technologies that were found. At most `MAX_TECHNOLOGIES` are listed. */
  readonly technologyCount: number
  readonly technologies: readonly ScoredRule[]
  /** The clauses of site types that hold; empty for a page that cannot have a site type. */
  readonly heldTypeClauses: readonly RuleTypeClause[]
}

/** Scores all rules on a page, applies the relations between them, and decides the builder and the technologies. */
export function analyzePage(ruleset: Ruleset, page: Page): Analysis {
  const hits = readHits(ruleset, page)
  const lifted = [...hits.lifted]
  const responses = lifted.filter(isResponse).map((rule) => new ScoredRule(rule, hits))
  const response = chooseResponse(responses.filter(({ level }) => level !== null))
  const counts = response === null || response.rule.ofSite ? undefined : buildOutsideTest(ruleset)
  const others = lifted.filter((rule) => !isResponse(rule))
  const scored = [
    ...responses,
    ...others.map((rule) => new ScoredRule(rule, hits, rule.kind === 'builder' ? counts : undefined)),
  ]
  const products = indexScored(scored, ({ kind }) => kind === 'builder' || kind === 'technology')
  const providers = indexScored(scored, ({ kind }) => kind === 'hosting')

  if (response !== null) addProved(response, { products, providers, ruleset })
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
  const heldTypeClauses = isTypable(page) ? findHeldTypeClauses(hits, { technologies, builder }) : []
  const technologyCount = found.length
  return { hits, scored, response, products, providers, builder, technologyCount, technologies, heldTypeClauses }
}

const isResponse = ({ kind }: CompiledRule): boolean => kind === 'response'

/** Families of evidence that a page in front of the site, such as that of a firewall, does not change. */
const OUTSIDE_FAMILIES: ReadonlySet<Family> = new Set(['address', 'response', 'network', 'side'])

/** Builds the test whether a clause is only about what surrounds a page: the code of a wall says nothing about the site. */
function buildOutsideTest({ places }: Ruleset): (leaves: readonly Leaf[]) => boolean {
  const isOutside = ({ place }: Leaf): boolean => OUTSIDE_FAMILIES.has(places.get(place)?.detector.family ?? 'content')
  return (leaves) => leaves.filter(({ positive }) => positive).every(isOutside)
}

/** Adds the products and the host that an answer proves. */
function addProved(
  { rule }: ScoredRule,
  { products, providers, ruleset }: Pick<Analysis, 'products' | 'providers'> & { readonly ruleset: Ruleset },
): void {
  const prove = (found: CompiledRule | undefined, scored: ScoredRules): void => {
    if (found === undefined) return
    const one = scored.get(found.slug) ?? new ScoredRule(found, null)
    scored.set(found.slug, one)
    if (one.level === 'high') return
    one.level = 'high'
    one.note = `implied by ${rule.slug}`
  }
  for (const slug of rule.implies) prove(ruleset.bySlug.get(slug), products)
  if (rule.hosting !== undefined) prove(ruleset.hostingBySlug.get(rule.hosting), providers)
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
