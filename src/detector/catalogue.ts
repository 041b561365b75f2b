import type { Ruleset } from '../engine/lookup/ruleset.ts'

type Rule = Ruleset['rules'][number]

/** The kinds of rules that results name, in the order of the catalogue. */
export const CATALOGUE_KINDS: readonly Rule['kind'][] = ['builder', 'hosting', 'site-type', 'technology']

/** The public data of a rule. */
export interface CatalogueEntry {
  readonly kind: Rule['kind']
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

/** Lists the rules of a ruleset, ordered by kind, then by slug. */
export function buildCatalogue(rules: readonly Rule[]): CatalogueEntry[] {
  const shown = rules.filter(({ kind }) => CATALOGUE_KINDS.includes(kind))
  const entries = shown.map(({ kind, slug, name, category, cdn, aiNative = false, website = null, about = null }) => ({
    kind,
    slug,
    name,
    category: category ?? (cdn ? 'cdn' : null),
    isAiNative: aiNative,
    website,
    about,
  }))
  const rank = ({ kind }: CatalogueEntry): number => CATALOGUE_KINDS.indexOf(kind)
  return entries.sort((a, b) => rank(a) - rank(b) || (a.slug < b.slug ? -1 : 1))
}
