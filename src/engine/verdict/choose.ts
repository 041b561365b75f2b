import type { RulesBySlug, Ruleset } from '../lookup/ruleset.ts'
import { listLeaves } from '../rule/list-leaves.ts'
import { NETWORK_RANK } from '../rule/place.ts'
import type { CompiledRule, Leaf } from '../rule/types.ts'
import { compareBy } from '../text/compare-by.ts'
import { findImplied, type ScoredRules } from './relations.ts'
import { rankLevel, type ScoredRule } from './score.ts'

const level = (scored: ScoredRule): number => rankLevel(scored.level)
const points = (scored: ScoredRule): number => scored.points
const families = (scored: ScoredRule): number => scored.families
const marks = (scored: ScoredRule): number => scored.marks
const slug = (scored: ScoredRule): string => scored.rule.slug
const name = (scored: ScoredRule): string => scored.rule.name
const isMedium = (scored: ScoredRule): boolean => level(scored) >= rankLevel('medium')

const listKind = (scored: ScoredRules, kind: CompiledRule['kind']): ScoredRule[] =>
  [...scored.values()].filter((one) => one.rule.kind === kind && one.level !== null)

/** Drops rules that another rule of the same or a higher level implies: the implying rule is the more specific one. */
function keepMostSpecific(scored: readonly ScoredRule[], rules: RulesBySlug): ScoredRule[] {
  return scored.filter(
    (one) =>
      !scored.some(
        (other) => other !== one && level(other) >= level(one) && findImplied(other.rule, rules).has(one.rule.slug),
      ),
  )
}

/** Whether a builder yields to any other builder at medium or better. */
export function hasLowPriority(rule: CompiledRule, ruleset: Ruleset): boolean {
  return ruleset.categories.builders[rule.category ?? '']?.standsBack === true
}

/** Builders that the verdict could name: they do not have low priority, and no other builder implies them. */
export function findCandidates(scored: ScoredRules, ruleset: Ruleset): ScoredRule[] {
  const builders = listKind(scored, 'builder')
  const implied = new Set(builders.flatMap(({ rule }) => [...findImplied(rule, ruleset.bySlug)]))
  return builders.filter((one) => !hasLowPriority(one.rule, ruleset) && !implied.has(one.rule.slug))
}

/** Chooses the builder: low priority last, then by level, specificity, families, points, marks and slug. */
export function chooseBuilder(scored: ScoredRules, ruleset: Ruleset): ScoredRule | null {
  const builders = listKind(scored, 'builder')
  const preferred = builders.filter((one) => !hasLowPriority(one.rule, ruleset))
  const pool = preferred.some(isMedium) ? preferred : builders
  const best = Math.max(...pool.map(level))
  const specific = keepMostSpecific(
    pool.filter((one) => level(one) === best),
    ruleset.bySlug,
  )
  return specific.sort(compareBy<ScoredRule>(families, points, marks, slug))[0] ?? null
}

/** Whether a strong clause holds that is not about a loaded file: pages often load files of other products. */
export function hasOwnProof({ held }: ScoredRule): boolean {
  return held.some(({ weight, clause }) => weight === 'strong' && clause.family !== 'loaded')
}

const NO_PROOF = Number.POSITIVE_INFINITY

/** Whether only the network of the address proves a rule. */
function isOfNetwork(rank: number): boolean {
  return rank >= NETWORK_RANK && rank < NO_PROOF
}

/** Whether a clause holds that lists ranges of the provider itself, which may be announced by the network of another one. */
function hasRange({ held, rule }: ScoredRule, ruleset: Ruleset): boolean {
  return held
    .flatMap(({ clause }) => listLeaves(clause, rule.leaves))
    .some(
      (leaf) =>
        leaf.positive && isOfNetwork(rankLeafProof(leaf, ruleset)) && leaf.words.every((word) => word.includes('/')),
    )
}

/** Rank of the surest place that proves a hosting rule on this page: 1 is the surest. */
function rankProof({ held, rule }: ScoredRule, ruleset: Ruleset): number {
  const heavy = held.filter(({ weight }) => weight !== 'weak')
  const leaves = (heavy.length > 0 ? heavy : held).flatMap(({ clause }) => listLeaves(clause, rule.leaves))
  const ranks = leaves.filter(({ positive }) => positive).map((leaf) => rankLeafProof(leaf, ruleset))
  return Math.min(NO_PROOF, ...ranks)
}

/** Rank of the least sure word of a leaf. */
function rankLeafProof({ place, words }: Leaf, ruleset: Ruleset): number {
  const ranks = ruleset.places.get(place)?.detector.hostingProof ?? NO_PROOF
  if (typeof ranks === 'number') return ranks
  const names = words.map((word) => word.split(' ')[0].toLowerCase())
  return Math.max(...names.map((one) => (Object.hasOwn(ranks, one) ? ranks[one] : NO_PROOF)))
}

/**
 * Chooses the hosting provider of the origin. null: no provider reaches medium. undefined: two unrelated providers are
 * proved equally well, so neither can be named.
 */
export function chooseHosting(providers: ScoredRules, ruleset: Ruleset): ScoredRule | null | undefined {
  const rank = (one: ScoredRule): number => rankProof(one, ruleset)
  const all = listKind(providers, 'hosting')
  const hasCdn = all.some((one) => one.rule.cdn && one.level !== null)
  // Behind a CDN, the address is that of the CDN, in its own network or in another one.
  const isOrigin = (one: ScoredRule): boolean => !one.rule.cdn && !(hasCdn && isOfNetwork(rank(one)))
  const origins = all.filter((one) => isMedium(one) && isOrigin(one))
  const hasOwnMark = (one: ScoredRule): number => (isOfNetwork(rank(one)) ? 0 : 1)
  const [first, second] = keepMostSpecific(origins, ruleset.hostingBySlug).sort(
    compareBy<ScoredRule>(
      level,
      hasOwnMark,
      (one) => -rank(one),
      (one) => Number(hasRange(one, ruleset)),
      families,
      points,
      marks,
      slug,
    ),
  )
  if (first === undefined) return null
  const tied = second !== undefined && first.level === 'high' && second.level === 'high' && rank(first) === rank(second)
  return tied ? undefined : first
}

/**
 * Lists the second systems of a page, such as the blog of a forum: builders at high besides the builder of the verdict.
 * A honeypot, which lowers its builder to low, has none.
 */
function listOtherBuilders(scored: ScoredRules, builder: ScoredRule): ScoredRule[] {
  if (!isMedium(builder)) return []
  return listKind(scored, 'builder').filter((one) => one !== builder && one.level === 'high')
}

/** Lists technologies, the builders, CDNs and everything they imply: surest first, each name once. */
export function listTechnologies(
  scored: ScoredRules,
  providers: ScoredRules,
  builder: ScoredRule | null,
  ruleset: Ruleset,
): ScoredRule[] {
  const chosen = listKind(scored, 'technology').filter(isMedium)
  if (builder) chosen.push(builder, ...listOtherBuilders(scored, builder))
  const implied = [...new Set(chosen.flatMap(({ rule }) => [...findImplied(rule, ruleset.bySlug)]))]
  const others = implied.flatMap((one) => scored.get(one) ?? []).filter((one) => one.level !== null)
  const cdns = listKind(providers, 'hosting').filter((one) => one.rule.cdn && isMedium(one))
  const sorted = [...new Set([...chosen, ...others, ...cdns])].sort(compareBy<ScoredRule>(level, points, name))
  const names = new Set<string>()
  return sorted.filter((one) => names.size < names.add(one.rule.name).size)
}
