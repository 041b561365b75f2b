import { CATEGORY_PREFIX, FOUND } from '../rule/clause.ts'
import type { PageHits } from './hits.ts'

/** What `found` clauses can name: the builders and technologies of a verdict, and the category of its builder. */
interface Detected {
  readonly products: Iterable<{ readonly slug: string; readonly name: string }>
  readonly builder: { readonly name: string; readonly category?: string | null } | null | undefined
}

/** Tests what was detected against the clauses of site types, as the engine's own place. */
export function testFound(hits: PageHits, { products, builder }: Detected): void {
  const found = hits.ruleset.places.get(FOUND.key)
  if (found === undefined) return
  for (const { slug, name } of products) hits.testFound(found, { name: slug, text: name })
  if (builder?.category) hits.testFound(found, { name: `${CATEGORY_PREFIX}${builder.category}`, text: builder.name })
}
