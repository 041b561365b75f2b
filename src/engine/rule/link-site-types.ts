import { choose, sum, variable } from './logic.ts'
import type { CompiledRule, Logic } from './types.ts'

/**
 * Builds the expression of every site type: its prior plus the points that the clauses of all site types give it, as a sum of
 * `if(holds, points, 0)` over the ids of these clauses.
 * @param rules all compiled rules; others than site types are returned as they are
 */
export function linkSiteTypes(rules: readonly CompiledRule[]): CompiledRule[] {
  const clauses = rules.flatMap(({ typeClauses = [] }) => typeClauses)
  const terms = new Map<string, Logic[]>()
  for (const { id, points } of clauses)
    for (const [type, value] of Object.entries(points)) {
      const ofType = terms.get(type) ?? []
      terms.set(type, ofType)
      if (value !== 0) ofType.push(choose(variable(id), value, 0))
    }
  return rules.map((rule) =>
    rule.kind === 'site-type' ? { ...rule, logic: sum([rule.prior ?? 0, ...(terms.get(rule.slug) ?? [])]) } : rule,
  )
}
