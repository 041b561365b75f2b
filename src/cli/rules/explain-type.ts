import type { Ruleset } from '../../engine/lookup/ruleset.ts'
import type { Page } from '../../engine/page/page-types.ts'
import type { CompiledRule } from '../../engine/rule/types.ts'
import { analyzePage } from '../../engine/verdict/analyze-page.ts'
import { chooseSiteType, explainTypeClauses, isTypable, scoreSiteTypes } from '../../engine/verdict/site-type.ts'

/**
 * Maximum characters of a clause. Many clauses have a long list of words; those that were found are listed below it.
 */
const MAX_CLAUSE_CHARACTERS = 140
/** Maximum number of types that are listed for comparison: those with the highest scores. */
const MAX_LISTED_TYPES = 4

const formatPoints = (points: number): string => (points > 0 ? `+${points}` : String(points))

/**
 * Explains the score of a site type on a page in lines: the clauses that count for or against it, the scores of other
 * types, and the type that the page gets.
 */
export function explainTypeScore(
  ruleset: Ruleset,
  { kind, slug, name, prior = 0 }: CompiledRule,
  page: Page,
): string[] {
  const lines = [`${kind} ${slug} (${name})`]
  if (!isTypable(page)) return [...lines, '  not HTML, or an error response: no site type']
  const { heldTypeClauses: held, hits } = analyzePage(ruleset, page)
  for (const { clause, points = 0, texts } of explainTypeClauses(slug, held, hits, held.length)) {
    lines.push(`  ${formatPoints(points).padStart(4)}  ${clause.slice(0, MAX_CLAUSE_CHARACTERS)}`)
    if (texts.length > 0) lines.push(`          ${texts.map((text) => JSON.stringify(text.slice(0, 60))).join(', ')}`)
  }
  lines.push(`  ${formatPoints(prior).padStart(4)}  prior`)
  const { chosen, ranking, reason } = chooseSiteType(scoreSiteTypes(ruleset, held), page, ruleset.categories.siteTypes)
  const scores = ranking.map((one) => `${one.rule.slug} ${one.score}`)
  lines.push(
    `  score ${ranking.find(({ rule }) => rule.slug === slug)?.score}; highest: ${scores.slice(0, MAX_LISTED_TYPES).join(', ')}`,
  )
  lines.push(chosen === null ? `  no site type: ${reason}` : `  site type: ${chosen.rule.slug}`)
  return lines
}
