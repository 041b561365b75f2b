import { MAX_EVIDENCE, MAX_EVIDENCE_TEXT } from '../text/bounds.ts'
import type { ScoredRule } from './score.ts'
import type { Evidence } from './verdict-types.ts'

/**
 * Builds the evidence of rules that score, and appends that of site types. The number of entries and their texts are bounded.
 * @param chosen rules that are part of the verdict
 */
export function buildEvidence(
  scoring: readonly ScoredRule[],
  chosen: ReadonlySet<ScoredRule | null | undefined>,
  ofTypes: readonly Evidence[],
): Evidence[] {
  const first = scoring.toSorted((a, b) => Number(chosen.has(b)) - Number(chosen.has(a)) || b.points - a.points)
  const shown = new Set(first.slice(0, MAX_EVIDENCE - ofTypes.length))
  const ofRules = scoring.filter((one) => shown.has(one)).map((one) => explainRule(one, chosen.has(one)))
  return cutTexts([...ofRules, ...ofTypes])
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

function explainRule(scored: ScoredRule, chosen: boolean): Evidence {
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
