import type { RuleKind, RuleSummary } from '../engine/rule/types.ts'

/** The kinds of rules that results name, in the order of the catalogue. */
export const CATALOGUE_KINDS: readonly RuleKind[] = ['builder', 'hosting', 'site-type', 'technology']

/** The public data of a rule. */
export interface CatalogueEntry {
  readonly kind: RuleKind
  /** The slug is unique within its kind. */
  readonly slug: string
  readonly name: string
  /** Category of a builder or technology; `cdn` for a hosting rule that describes a CDN; otherwise null. */
  readonly category: string | null
  readonly isAiNative: boolean
  readonly website: string | null
  /** What it is, in one sentence. */
  readonly about: string | null
}

/** Lists the entries of a ruleset, ordered by kind, then by slug. */
export function buildCatalogue(rules: readonly RuleSummary[]): CatalogueEntry[] {
  const rank = ({ kind }: CatalogueEntry): number => CATALOGUE_KINDS.indexOf(kind)
  return rules
    .filter(({ kind }) => CATALOGUE_KINDS.includes(kind))
    .map(describeRule)
    .sort((a, b) => rank(a) - rank(b) || (a.slug < b.slug ? -1 : 1))
}

/** Describes a rule as the catalogue does. */
export function describeRule(rule: RuleSummary): CatalogueEntry {
  const { kind, slug, name, category, cdn, aiNative = false, website = null, about = null } = rule
  return { kind, slug, name, category: category ?? (cdn ? 'cdn' : null), isAiNative: aiNative, website, about }
}
