import type { Family, Weight } from './place.ts'

export type RuleKind = 'builder' | 'hosting' | 'response' | 'site-type' | 'technology'

/**
 * What came back: the site, or something instead of it. A firewall or a check of visitors (`wall`), a login before everything, no
 * site or page at this address (`missing`), an error of a server, maintenance, a suspended account, the page of a server without a
 * site (`default-page`), a domain for sale (`parked`), or a page that shows nothing (`empty`).
 */
export const PAGE_STATES = [
  'site',
  'wall',
  'login',
  'missing',
  'error',
  'maintenance',
  'suspended',
  'default-page',
  'parked',
  'empty',
] as const
export type PageState = (typeof PAGE_STATES)[number]

/** A JSON Logic expression: `{"var":["c3",0]}` and the operations if, or, and, !, >=, +, min. */
export type Logic = number | boolean | string | readonly Logic[] | { readonly [operation: string]: readonly Logic[] }

/** One place of a rule with its words and tests. `id` is its variable in expressions. */
export interface Leaf {
  readonly id: string
  /** The variable that is 1 if the place was seen. Only leaves under a `not` have it. */
  readonly seenId?: string
  readonly place: string
  readonly words: readonly string[]
  readonly is?: readonly string[]
  readonly has?: readonly string[]
  readonly under?: readonly string[]
  readonly match?: string
  /**
   * The capture group of `match` that contains the version, or the template of a version; false if the version that the place
   * brings is none of the product.
   */
  readonly version?: number | false | string
  readonly from?: 'own' | 'other'
  readonly attr?: string
  readonly atLeast?: number
  readonly exact?: boolean
  /**
   * The variable of the portable form for the files of sibling hosts that the leaf needs to reach `atLeast`: absent or 0 for
   * none, 1 for scripts or style sheets, 2 for other files. Only leaves with `from: own` in a place of the family `loaded`
   * have it.
   */
  readonly siblingId?: string
  /** Whether a hit can give points: the leaf is not under a `not`. */
  readonly positive: boolean
}

/** One clause of `detect`. */
export interface Clause {
  readonly family: Family
  /** Ids of its leaves. */
  readonly leaves: readonly string[]
  /** Whether the clause holds. */
  readonly holds: Logic
  /** Its hits: for a place the number of values, for a group the number of clauses that hold. */
  readonly hits: Logic
  /** The clause as written in the rule file, in YAML's flow style, without its points. */
  readonly text: string
}

/** One clause of `detect` of a builder, technology or hosting provider. */
export interface WeightedClause extends Clause {
  /** Its weight, unless it holds only with files of sibling hosts. */
  readonly weight: Weight
}

/** Tenths of log-odds by site type: how much a clause that holds speaks for or against each type. */
export type TypePoints = Readonly<Record<string, number>>

/** One clause of `detect` of a site type. */
export interface TypeClause extends Clause {
  /** Slug, colon and number of the clause, from 1. */
  readonly id: string
  readonly points: TypePoints
  /** The points are written by hand, and the fit does not change them. */
  readonly byHand?: boolean
}

/** A checked clause of a YAML file: a place with its word and tests, or a group. */
export type ClauseSource = Readonly<Record<string, unknown>>

/** A checked rule of a YAML file. Kind and slug are its folder and file name. */
export interface RuleSource {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  readonly website?: string
  /** What it is, in one sentence. */
  readonly about?: string
  readonly category?: string
  readonly aiNative?: boolean
  readonly hosting?: string
  /** Responses, and site types of pages that are no site: what came back instead of the site. */
  readonly state?: PageState
  /** Responses: slug of the builder, technology or hosting rule whose page it is. */
  readonly by?: string
  /** Responses: the name of whose page it is, if no rule has it, or if the page has another name than the rule of `by`. */
  readonly byName?: string
  /** Responses: it is a page of the site itself, such as its own 404 page, whose code tells the builder. */
  readonly ofSite?: boolean
  readonly role?: 'cdn'
  /** Made by `rules import`. */
  readonly imported?: boolean
  readonly implies?: string | readonly string[]
  /** Slugs of `implies` that usually apply, but not always: they reach medium at most. */
  readonly usual?: string | readonly string[]
  readonly requires?: string | readonly string[]
  readonly excludes?: string | readonly string[]
  /** Site types: the score of a page on which no clause holds, in tenths of log-odds; 0 if absent. */
  readonly prior?: number
  /** Site types: false if points and prior are written by hand. */
  readonly fitted?: boolean
  /** A site type that a page with fewer than 20 visible words can have. */
  readonly thin?: boolean
  /** A site type that stands for pages of no type: if it wins, the page has none. */
  readonly unnamed?: boolean
  readonly description?: string
  readonly detect: readonly ClauseSource[]
  /** Empty for an imported rule that names none. */
  readonly source: readonly string[]
  /** '' for an imported rule of which no source was read. */
  readonly verified: string
}

/** A compiled rule: plain JSON. */
export interface CompiledRule {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  readonly website?: string
  /** What it is, in one sentence. */
  readonly about?: string
  /** A note for readers, such as former names. */
  readonly description?: string
  readonly category?: string
  readonly aiNative?: boolean
  readonly hosting?: string
  readonly state?: PageState
  readonly by?: string
  readonly byName?: string
  readonly ofSite?: boolean
  readonly cdn?: boolean
  readonly implies: readonly string[]
  /** Those of `implies` that are not certain. */
  readonly usual?: readonly string[]
  readonly requires: readonly string[]
  readonly excludes: readonly string[]
  readonly thin?: boolean
  readonly unnamed?: boolean
  readonly leaves: readonly Leaf[]
  /** Empty for a site type. */
  readonly clauses: readonly WeightedClause[]
  /** Only for a site type: its clauses and its prior. */
  readonly typeClauses?: readonly TypeClause[]
  readonly prior?: number
}

/** A compiled rule without what matches a page. */
export type RuleSummary = Omit<CompiledRule, 'leaves' | 'clauses' | 'typeClauses'>

/** Decides whether the site type with the highest score is named. All numbers are tenths of log-odds. */
export interface TypeDecision {
  /** Minimum score. */
  readonly threshold: number
  /** Minimum lead over the type with the second highest score. */
  readonly margin: number
  /** The minimum lead of a type, by its slug, where it differs from `margin`. */
  readonly margins?: Readonly<Record<string, number>>
}

export interface Categories {
  readonly builders: Readonly<
    Record<string, { readonly title?: string; readonly revision1?: string; readonly standsBack?: boolean }>
  >
  readonly technologies: Readonly<Record<string, string>>
  readonly siteTypes?: TypeDecision
}
