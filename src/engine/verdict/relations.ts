import type { RulesBySlug } from '../lookup/ruleset.ts'
import { CATEGORY_PREFIX } from '../rule/clause.ts'
import type { CompiledRule } from '../rule/types.ts'
import { rankLevel, ScoredRule } from './score.ts'
import type { Level } from './verdict-types.ts'

/** Scored rules by slug. */
export type ScoredRules = Map<string, ScoredRule>

/** What a rule implies, over any number of steps. */
interface Implied {
  readonly all: ReadonlySet<string>
  /** Without what is only usual at a step. */
  readonly certain: ReadonlySet<string>
}

const IMPLIED = new WeakMap<RulesBySlug, Map<CompiledRule, Implied>>()

/** Finds everything that a rule implies, over any number of steps. The result is computed once for a set of rules. */
export function findImplied(rule: CompiledRule, rules: RulesBySlug): ReadonlySet<string> {
  return readImplied(rule, rules).all
}

function readImplied(rule: CompiledRule, rules: RulesBySlug): Implied {
  let known = IMPLIED.get(rules)
  if (known === undefined) IMPLIED.set(rules, (known = new Map()))
  let implied = known.get(rule)
  if (implied === undefined) {
    const all = followImplies(rule, rules, ({ implies }) => implies)
    const certain = followImplies(rule, rules, ({ implies, usual = [] }) =>
      implies.filter((slug) => !usual.includes(slug)),
    )
    known.set(rule, (implied = { all, certain }))
  }
  return implied
}

function followImplies(
  rule: CompiledRule,
  rules: RulesBySlug,
  read: (rule: CompiledRule) => readonly string[],
): ReadonlySet<string> {
  const implied = new Set<string>()
  const queue = [...read(rule)]
  for (const slug of queue) {
    if (implied.has(slug)) continue
    implied.add(slug)
    const next = rules.get(slug)
    if (next !== undefined) queue.push(...read(next))
  }
  return implied
}

/** Drops rules that require a rule below medium, or a category without a rule at medium. */
export function dropUnrequired(scored: ScoredRules): void {
  const isFound = (one: ScoredRule | undefined): boolean => rankLevel(one?.level ?? null) >= rankLevel('medium')
  const isMet = (required: string): boolean =>
    required.startsWith(CATEGORY_PREFIX)
      ? isCategoryFound(required.slice(CATEGORY_PREFIX.length))
      : isFound(scored.get(required))
  const isCategoryFound = (category: string): boolean =>
    [...scored.values()].some((one) => one.rule.category === category && isFound(one))
  const missing = [...scored.values()].map((one) => [one, one.rule.requires.find((slug) => !isMet(slug))] as const)
  for (const [one, slug] of missing) if (slug !== undefined) drop(one, `required ${slug} is missing`)
}

/**
 * Lifts an implied rule to the level of the rule that implies it, if that is higher; to medium at most, if it only usually applies.
 * Points and families do not change.
 */
export function liftImplied(scored: ScoredRules, rules: RulesBySlug): void {
  const lifts: [slug: string, by: ScoredRule, level: Level][] = []
  for (const one of scored.values()) {
    const { level } = one
    if (level === null) continue
    const { all, certain } = readImplied(one.rule, rules)
    for (const slug of all) lifts.push([slug, one, level === 'high' && !certain.has(slug) ? 'medium' : level])
  }
  for (const [slug, by, level] of lifts) {
    const rule = rules.get(slug)
    if (rule !== undefined) lift(scored, rule, { level, by })
  }
}

/** Lifts a rule to a level, if that is higher than its own. */
export function lift(
  scored: ScoredRules,
  rule: CompiledRule,
  { level, by }: { readonly level: Level; readonly by: ScoredRule },
): void {
  const lifted = scored.get(rule.slug) ?? new ScoredRule(rule, null)
  scored.set(rule.slug, lifted)
  if (rankLevel(level) <= rankLevel(lifted.level)) return
  lifted.level = level
  lifted.note = `implied by ${by.rule.slug}`
  lifted.impliedBy = by.rule.slug
}

/** Of two rules that exclude each other, drops the one with the lower level. At the same level both remain. */
export function dropExcluded(scored: ScoredRules): void {
  const drops: [ScoredRule, string][] = []
  for (const one of scored.values())
    for (const slug of one.rule.excludes) {
      const other = scored.get(slug)
      if (other === undefined || one.level === null || other.level === null) continue
      const difference = rankLevel(one.level) - rankLevel(other.level)
      if (difference > 0) drops.push([other, one.rule.slug])
      if (difference < 0) drops.push([one, slug])
    }
  for (const [one, by] of drops) drop(one, `excluded by ${by}`)
}

/** Takes the level of a rule. @param note why */
export function drop(one: ScoredRule, note: string): void {
  one.level = null
  one.note = note
}
