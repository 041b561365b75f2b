import type { Ruleset } from '../engine/lookup/ruleset.ts'
import type { CompiledRule, RuleKind } from '../engine/rule/types.ts'
import { hasLowPriority } from '../engine/verdict/choose.ts'
import { findImplied } from '../engine/verdict/relations.ts'
import { computeLevel, MIN_LEVEL_POINTS, rankLevel } from '../engine/verdict/score.ts'
import type { Evidence, Level, Verdict } from '../engine/verdict/verdict-types.ts'

/** The data needed to explain a choice. */
interface ChoiceContext {
  readonly verdict: Verdict
  readonly ruleset: Ruleset
}

/**
 * Explains why a rule of a builder, technology or hosting provider that has points is not part of the result, or why a builder is
 * only one of its technologies, in the order in which the engine decides.
 * @returns null for any other rule
 */
export function explainChoice(own: Evidence, rule: CompiledRule, context: ChoiceContext): string | null {
  const isOnlyTechnology = own.kind === 'builder' && own.slug !== context.verdict.builderSlug
  if (own.chosen && !isOnlyTechnology) return null
  if (own.note !== undefined && own.level === null) return `it was dropped, because it is ${formatNote(own.note)}`
  if (own.level === null) return `${own.points} point is too few: the lowest level needs ${MIN_LEVEL_POINTS}`
  if (own.kind === 'builder') return explainBuilder(own, rule, context)
  if (own.kind === 'hosting' && rule.cdn !== true) return explainHosting(own, context)
  if (!isMedium(own.level)) return `${own.kind === 'hosting' ? 'a CDN' : 'a technology'} needs medium or better`
  return 'another rule with the same name is listed, or the list is full'
}

function formatNote(note: string): string {
  const [, missing] = /^required (.+) is missing$/.exec(note) ?? []
  return missing === undefined ? note : `without ${missing}, which it requires at medium or better`
}

function isMedium(level: Level | null): boolean {
  return rankLevel(level) >= rankLevel('medium')
}

function findRule({ rules }: Ruleset, kind: RuleKind, slug: string): CompiledRule | undefined {
  return rules.find((rule) => rule.kind === kind && rule.slug === slug)
}

/** The level by which a rule was chosen: a conflict lowers it afterwards. */
function readChosenLevel({ note, points, level }: Evidence): Level | null {
  return note === 'conflicting' ? computeLevel(points) : level
}

function countFamilies({ clauses }: Evidence): number {
  return new Set(clauses.map(({ family }) => family)).size
}

function explainBuilder(own: Evidence, rule: CompiledRule, { verdict, ruleset }: ChoiceContext): string {
  const winner = verdict.evidence.find(({ kind, slug }) => kind === 'builder' && slug === verdict.builderSlug)
  const winnerRule = winner && findRule(ruleset, 'builder', winner.slug)
  if (winner === undefined || winnerRule === undefined) return 'no builder was chosen'
  const level = readChosenLevel(winner)
  if (hasLowPriority(rule, ruleset) && !hasLowPriority(winnerRule, ruleset) && isMedium(level))
    return `builders of the category ${rule.category} have low priority, and ${winner.name} reaches ${level}`
  return compareProof(own, winner, ruleset)
}

function explainHosting(own: Evidence, { verdict, ruleset }: ChoiceContext): string {
  if (!isMedium(own.level)) return 'hosting needs medium or better'
  const winner = verdict.evidence.find(
    ({ kind, slug, chosen }) => kind === 'hosting' && chosen && findRule(ruleset, kind, slug)?.cdn !== true,
  )
  if (winner === undefined) return 'another hosting provider is proved equally well, so neither is named'
  const reason = compareLevels(own, winner, ruleset)
  return (
    reason ?? `${winner.name} is proved by a surer kind of place (address, header, DNS records, …) or by more of them`
  )
}

/** Explains why another rule of the same kind is chosen by its level or because it is more specific; null if it is not. */
function compareLevels(own: Evidence, winner: Evidence, ruleset: Ruleset): string | null {
  const level = readChosenLevel(winner)
  if (rankLevel(level) > rankLevel(own.level)) return `${winner.name} has a higher level: ${level}, not ${own.level}`
  const bySlug = own.kind === 'hosting' ? ruleset.hostingBySlug : ruleset.bySlug
  const rule = bySlug.get(winner.slug)
  return rule !== undefined && findImplied(rule, bySlug).has(own.slug)
    ? `${winner.name} implies it, and is the more specific of the two`
    : null
}

function compareProof(own: Evidence, winner: Evidence, ruleset: Ruleset): string {
  const reason = compareLevels(own, winner, ruleset)
  if (reason !== null) return reason
  const [families, most] = [countFamilies(own), countFamilies(winner)]
  if (most > families) return `${winner.name} is proved by more families of places: ${most}, not ${families}`
  if (winner.points > own.points) return `${winner.name} has more points: ${winner.points}, not ${own.points}`
  return `${winner.name} has as many families and points, and more values, or the first slug of the two`
}
