import type { CatalogueEntry } from '../../detector/catalogue.ts'
import type { RulesetLabels } from '../../detector/ruleset-labels.ts'

/** Kind → the name of its page, and of one of its entries. */
export const KIND_NAMES: Readonly<Record<string, readonly [many: string, one: string]>> = {
  builder: ['Builders', 'builder'],
  hosting: ['Hosting providers and CDNs', 'hosting provider'],
  technology: ['Technologies', 'technology'],
  'site-type': ['Types of site', 'type of site'],
}

/** The names that contain the parameter `q`, as JSON. */
export const SUGGESTIONS_PATH = '/catalogue/suggestions'

/** The path of a page about one entry. */
export function entryPath({ kind, slug }: Pick<CatalogueEntry, 'kind' | 'slug'>): string {
  return `/catalogue/${kind}/${slug}`
}

/** The path of the list of a kind, or of one of its categories. */
export function listPath(kind: string, category?: string): string {
  return `/catalogue/${kind}${category === undefined ? '' : `?category=${encodeURIComponent(category)}`}`
}

/** The title of a category: `Website builder`, `Analytics`, `CDN`. */
export function categoryTitle(
  { kind, category }: Pick<CatalogueEntry, 'kind' | 'category'>,
  labels: Pick<RulesetLabels, 'categories' | 'technologyCategories'>,
): string | null {
  if (category === null) return null
  if (kind === 'hosting') return 'CDN'
  const titles = kind === 'builder' ? labels.categories : labels.technologyCategories
  return titles[category] ?? category
}

/** The path of the rule in the repository, without `.yaml`. */
export function rulePath({ kind, category, slug }: Pick<CatalogueEntry, 'kind' | 'category' | 'slug'>): string {
  const folder = {
    builder: 'builders',
    hosting: 'hosting',
    'site-type': 'site-types',
    technology: `technologies/${category}`,
  }
  return `rules/${folder[kind as keyof typeof folder]}/${slug}`
}
