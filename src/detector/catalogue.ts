import type { CompiledRule } from '../engine/rule/types.ts'

/** The kinds of rules that results name, in the order of the catalogue. */
export const CATALOGUE_KINDS: readonly CompiledRule['kind'][] = ['builder', 'hosting', 'site-type', 'technology']

/** The public data of a rule. */
export interface CatalogueEntry {
  readonly kind: CompiledRule['kind']
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

/** An entry with the rule that it describes. */
export interface CatalogueRule {
  readonly entry: CatalogueEntry
  readonly rule: CompiledRule
}

/** Lists the entries of a ruleset, ordered by kind, then by slug. */
export function buildCatalogue(rules: readonly CompiledRule[]): CatalogueEntry[] {
  return listCatalogueRules(rules).map(({ entry }) => entry)
}

/** Lists the rules that the catalogue shows with their entries, in the order of `buildCatalogue`. */
export function listCatalogueRules(rules: readonly CompiledRule[]): CatalogueRule[] {
  const shown = rules.filter(({ kind }) => CATALOGUE_KINDS.includes(kind))
  const rank = ({ rule: { kind } }: CatalogueRule): number => CATALOGUE_KINDS.indexOf(kind)
  return shown
    .map((rule) => ({ entry: describeRule(rule), rule }))
    .sort((a, b) => rank(a) - rank(b) || (a.rule.slug < b.rule.slug ? -1 : 1))
}

function describeRule(rule: CompiledRule): CatalogueEntry {
  const { kind, slug, name, category, cdn, aiNative = false, website = null, about = null } = rule
  return { kind, slug, name, category: category ?? (cdn ? 'cdn' : null), isAiNative: aiNative, website, about }
}
