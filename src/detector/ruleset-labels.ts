import type { KnownPlace, RulesetContent } from '../engine/lookup/ruleset.ts'
import type { RuleSummary } from '../engine/rule/types.ts'

/** The names that pages for people show for parts of the rules. */
export interface RulesetLabels {
  /** Builder category → its title. */
  readonly categories: Readonly<Record<string, string>>
  /** Site type → its name. */
  readonly siteTypes: Readonly<Record<string, string>>
  /** Display name of a technology → title of its category. */
  readonly technologies: Readonly<Record<string, string>>
  /** Technology category → its title. */
  readonly technologyCategories: Readonly<Record<string, string>>
  /** Place → what a rule finds there. */
  readonly places: Readonly<Record<string, string>>
}

/** Reads the labels of a ruleset. */
export function buildLabels({
  categories,
  rules,
  places,
}: Pick<RulesetContent, 'categories'> & {
  readonly rules: readonly RuleSummary[]
  readonly places: readonly KnownPlace[]
}): RulesetLabels {
  const siteTypes = rules.filter(({ kind }) => kind === 'site-type')
  const technologies = rules.filter(({ kind }) => kind === 'technology')
  const titles = Object.entries(categories.builders).map(([name, { title = name }]) => [name, title])
  return {
    categories: Object.fromEntries(titles),
    siteTypes: Object.fromEntries(siteTypes.map(({ slug, name }) => [slug, name])),
    technologies: Object.fromEntries(
      technologies.map(({ name, category = '' }) => [name, categories.technologies[category] ?? category]),
    ),
    technologyCategories: categories.technologies,
    places: Object.fromEntries(places.map(({ key, about }) => [key, about])),
  }
}
