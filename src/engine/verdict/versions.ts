import type { Ruleset } from '../lookup/ruleset.ts'
import type { ScoredRules } from './relations.ts'
import type { ScoredRule } from './score.ts'

/**
 * Lists versions by display name. An extension of a builder that shows exactly the version of the builder has none of its own:
 * builders append their version to the URLs of files whose version is not given, so that a browser loads them again after an
 * update.
 */
export function listVersions(
  technologies: readonly ScoredRule[],
  { products, ruleset }: { readonly products: ScoredRules; readonly ruleset: Ruleset },
): Readonly<Record<string, string>> {
  const isOfBuilder = ({ rule }: ScoredRule, version: string): boolean =>
    [...rule.implies, ...rule.requires].some(
      (slug) => ruleset.bySlug.get(slug)?.kind === 'builder' && products.get(slug)?.version === version,
    )
  return Object.fromEntries(
    technologies.flatMap((one) => {
      const { rule, version } = one
      return version === undefined || version === '' || isOfBuilder(one, version) ? [] : [[rule.name, version]]
    }),
  )
}
