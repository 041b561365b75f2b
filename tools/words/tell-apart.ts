import type { ProductWords } from './product-words.ts'

/** Whose a word is: of no rule in particular, of rules that name it, or of one product alone. */
export type Ownership =
  | { readonly kind: 'common' }
  /** Slug of each rule that names the word → number of its other sites. */
  | { readonly kind: 'named'; readonly rest: ReadonlyMap<string, number>; readonly isOwned: boolean }
  | { readonly kind: 'product' }

/** A rule that names a word owns it in part from this share of its sites on, if it is there more often than by chance. */
const MIN_NAMED_SHARE = 0.5
const MIN_NAMED_LIFT = 1.3
/** A word that no rule names belongs to a product if nearly all of its sites do, which are few of all sites. */
const MIN_PRODUCT_SHARE = 0.9
const MIN_PRODUCT_LIFT = 8
/** If fewer of the sites are others, these are links to the product and its remains. */
const MAX_REST_SHARE = 0.15

/** Tells words of products apart from words of ordinary pages, by the rules that fire where they are. */
export class WordOwners {
  /** Number of each site → the rules that fire on it. */
  readonly #fired: readonly ReadonlySet<string>[]
  readonly #words: ProductWords
  readonly #counts = new Map<string, number>()

  constructor(fired: readonly ReadonlySet<string>[], words: ProductWords) {
    this.#fired = fired
    this.#words = words
    for (const rules of fired) for (const rule of rules) this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1)
  }

  /** @param minSites a word of fewer sites is not common */
  find(word: string, sites: readonly number[], minSites: number): Ownership {
    const together = new Map<string, number>()
    for (const site of sites) for (const rule of this.#fired[site]) together.set(rule, (together.get(rule) ?? 0) + 1)
    const rest = new Map<string, number>()
    let isOwned = false
    let isOfProduct = false
    for (const [rule, count] of together) {
      const share = count / sites.length
      const lift = share / ((this.#counts.get(rule) ?? 1) / this.#fired.length)
      const others = sites.length - count
      const isRest = others < Math.max(minSites, MAX_REST_SHARE * sites.length)
      if (share >= MIN_NAMED_SHARE && lift >= MIN_NAMED_LIFT && this.#words.names(rule, word)) {
        rest.set(rule.replace(/^.*\//, ''), isRest ? 0 : others)
        isOwned ||= isRest
      } else isOfProduct ||= isRest && share >= MIN_PRODUCT_SHARE && lift >= MIN_PRODUCT_LIFT
    }
    if (rest.size > 0) return { kind: 'named', rest, isOwned }
    return { kind: isOfProduct ? 'product' : 'common' }
  }
}
