/** Kinds of evidence that places give about a site. Clauses of one family are not independent of each other. */
export const FAMILIES = [
  'address',
  'response',
  'network',
  'declared',
  'loaded',
  'markup',
  'code',
  'side',
  'content',
  'found',
] as const
export type Family = (typeof FAMILIES)[number]

/** Families of evidence about a site that an answer gives even if its body is not a page of the site. */
export const SITE_FAMILIES: ReadonlySet<Family> = new Set<Family>(['address', 'network', 'response', 'side'])

/** How much a clause proves. */
export const WEIGHTS = ['strong', 'medium', 'weak'] as const
export type Weight = (typeof WEIGHTS)[number]

/** How the word of a clause is read, and therefore how the index looks it up. */
export const WORD_KINDS = ['name', 'value', 'locator', 'literal', 'selector', 'path'] as const
export type WordKind = (typeof WORD_KINDS)[number]

/**
 * A place with this rank of `hostingProof` or a higher number only says in whose network the address is, which a CDN in front of the
 * origin would say too.
 */
export const NETWORK_RANK = 10

/** The form of a word: a sentence fragment for messages and, where possible, a regular expression. */
export interface WordForm {
  readonly says: string
  readonly pattern?: string
}

/**
 * A place where a clause can look. Everything that the linter, the compiler and the engine need to handle a place is
 * declared here, so that a detector from outside is treated like a built-in one.
 */
export interface Place {
  /** The key that rules use. */
  readonly key: string
  /** One sentence, for the documentation and the editor's schema. */
  readonly about: string
  readonly family: Family
  readonly word: WordKind
  /** The closed list of words, if there is one. With `labels`, a label may follow a word after a space (`txt _label`). */
  readonly names?: readonly string[]
  readonly labels?: boolean
  /** A narrower form than that of the word kind, for places where any other word would never be found. */
  readonly wordForm?: WordForm
  /**
   * How surely a hit proves where a site is hosted: 1 is the surest. A record gives the rank for each of `names`. Without a
   * rank, the place is less sure than any place that has one.
   */
  readonly hostingProof?: number | Readonly<Record<string, number>>
  /** The highest weight of a clause at the place, or for each of `names` that has one; by default what its family allows. */
  readonly maxWeight?: Weight | Readonly<Record<string, Weight>>
  /**
   * The place reports amounts: the hit of a clause is the `amount` that was found, not the number of values. Every page has
   * some amount, so a clause needs a test.
   */
  readonly isAmount?: boolean
  /**
   * The word, of a place of amounts, whose amount is the number of visible words of the page. Leaves of a clause that excludes so many
   * words (`not: { size: words, atLeast: 200 }`) are passed over on pages that have them.
   */
  readonly wordOfPageWords?: string
  /**
   * For literals in long texts: the tests of a clause see the literal and this number of characters to each side of it, at
   * each of its occurrences. Without it they see the whole text. The literals have to be distinctive.
   */
  readonly windowCharacters?: number
  /** The place brings a version with its values. A clause with `version: false` leaves it. */
  readonly hasVersions?: boolean
  /** Only values of the page's own site count, as if each clause said `from: own`. */
  readonly from?: 'own'
  /**
   * Files from which the place finds a word, and similar ones from which it does not, as URLs. A clause at such a place needs
   * no page in a test: these are its hits and misses.
   */
  readonly example?: (word: string) => Example
  /** Words and tests compare case, as if each clause said `case: exact`. */
  readonly isExact?: boolean
  /** The words are names that a rule repeats nowhere else, so an example of each proves it without another mention. */
  readonly areCodes?: boolean
}

/** Files that prove a word of a clause. */
export interface Example {
  readonly hits: readonly string[]
  readonly misses: readonly string[]
  /** Scripts that the page loads, with their text, instead of files whose address says enough. */
  readonly scripts?: { readonly hits: readonly ExampleScript[]; readonly misses: readonly ExampleScript[] }
  /** Properties of `window`, with their values as text, instead of files. */
  readonly globals?: {
    readonly hits: Readonly<Record<string, string>>
    readonly misses: Readonly<Record<string, string>>
  }
  /** Slugs of the rules that may fire on them too: the system of an extension. */
  readonly also?: readonly string[]
}

/** A script that a page loads. */
export interface ExampleScript {
  readonly url: string
  readonly text: string
}
