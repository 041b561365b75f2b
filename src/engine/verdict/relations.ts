import type { CompiledRule } from '../rule/types.ts'
import { rankLevel, Standing } from './score.ts'
import type { Level } from './verdict-types.ts'

/** Standings by slug. */
export type Standings = Map<string, Standing>

type Rules = ReadonlyMap<string, CompiledRule>

const IMPLIED = new WeakMap<Rules, Map<CompiledRule, ReadonlySet<string>>>()

/** All that a rule implies, by any number of steps. Worked out once for a set of rules. */
export function findImplied(rule: CompiledRule, rules: Rules): ReadonlySet<string> {
  let known = IMPLIED.get(rules)
  if (known === undefined) IMPLIED.set(rules, (known = new Map()))
  let implied = known.get(rule)
  if (implied === undefined) known.set(rule, (implied = followImplies(rule, rules)))
  return implied
}

function followImplies(rule: CompiledRule, rules: Rules): ReadonlySet<string> {
  const implied = new Set<string>()
  const queue = [...rule.implies]
  for (const slug of queue) {
    if (implied.has(slug)) continue
    implied.add(slug)
    queue.push(...(rules.get(slug)?.implies ?? []))
  }
  return implied
}

/** Drops rules whose requirements do not stand at medium or better. */
export function dropUnrequired(standings: Standings): void {
  const stands = (slug: string): boolean => rankLevel(standings.get(slug)?.level ?? null) >= rankLevel('medium')
  const missing = [...standings.values()].map(
    (standing) => [standing, standing.rule.requires.find((slug) => !stands(slug))] as const,
  )
  for (const [standing, slug] of missing) if (slug !== undefined) drop(standing, `required ${slug} is missing`)
}

/** What a rule implies gets the higher of its own level and this one; points and families stay its own. */
export function liftImplied(standings: Standings, rules: Rules): void {
  const lifts: [slug: string, by: Standing, level: Level][] = []
  for (const standing of standings.values())
    if (standing.level !== null)
      for (const slug of findImplied(standing.rule, rules)) lifts.push([slug, standing, standing.level])
  for (const [slug, by, level] of lifts) {
    const rule = rules.get(slug)
    if (rule === undefined) continue
    const standing = standings.get(slug) ?? new Standing(rule, null)
    standings.set(slug, standing)
    if (rankLevel(level) <= rankLevel(standing.level)) continue
    standing.level = level
    standing.note = `implied by ${by.rule.slug}`
  }
}

/** Of two that exclude each other the lower goes; at equal level both stay. */
export function dropExcluded(standings: Standings): void {
  const drops: [Standing, string][] = []
  for (const standing of standings.values())
    for (const slug of standing.rule.excludes) {
      const other = standings.get(slug)
      if (other === undefined || standing.level === null || other.level === null) continue
      const difference = rankLevel(standing.level) - rankLevel(other.level)
      if (difference > 0) drops.push([other, standing.rule.slug])
      if (difference < 0) drops.push([standing, slug])
    }
  for (const [standing, by] of drops) drop(standing, `excluded by ${by}`)
}

function drop(standing: Standing, note: string): void {
  standing.level = null
  standing.note = note
}
