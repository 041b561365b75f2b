import type { Categories, CompiledRule } from '../rule/types.ts'
import type { ScoredRule } from './score.ts'
import type { TechnologyFacts } from './verdict-types.ts'

/** The category of hosting rules that are technologies of a result. */
const CDN = { slug: 'cdn', name: 'Content delivery network' }

/** Describes the technologies of a verdict by their rules, in the same order. @param versions by display name */
export function describeTechnologies(
  technologies: readonly ScoredRule[],
  { versions, categories }: { readonly versions: Readonly<Record<string, string>>; readonly categories: Categories },
): TechnologyFacts[] {
  return technologies.map(({ rule, level, impliedBy = null }) => ({
    slug: rule.slug,
    name: rule.name,
    category: describeCategory(rule, categories),
    level: level ?? 'low', // What is listed has a level.
    version: Object.hasOwn(versions, rule.name) ? versions[rule.name] : null,
    website: rule.website ?? null,
    impliedBy,
  }))
}

function describeCategory({ kind, category }: CompiledRule, categories: Categories): TechnologyFacts['category'] {
  if (category === undefined) return CDN
  const title = kind === 'builder' ? categories.builders[category]?.title : categories.technologies[category]
  return { slug: category, name: title ?? category }
}
