import type { Family, Weight } from '../rule/place.ts'
import type { PageState, RuleKind } from '../rule/types.ts'

export type Level = 'high' | 'medium' | 'low'

/** The hits of one clause on a page. */
export interface ClauseEvidence {
  readonly clause: string
  readonly places: readonly string[]
  /** Set for builders, technologies and hosting providers. */
  readonly weight?: Weight
  /** Set for site types: the tenths of log-odds that the clause gives the type. */
  readonly points?: number
  readonly family: Family
  readonly hits: number
  /** The values that were found, cut to 200 characters each. */
  readonly texts: readonly string[]
  /** The containers of tag managers that add such values to the page, such as `Google Tag Manager GTM-0A1B2C`. */
  readonly through?: readonly string[]
}

/** Explains the level of one rule, or the score of a site type (the best one or the runner-up). */
export interface Evidence {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  /** The level after relations and conflicts; null when the rule was dropped. Site types have none. */
  readonly level: Level | null
  /** 0 to 6; for a site type, its score in tenths of log-odds. */
  readonly points: number
  /** The clauses that hold. */
  readonly clauses: readonly ClauseEvidence[]
  /** Places that the rule uses and that were not seen. */
  readonly unseen: readonly string[]
  /** Whether this rule is part of the verdict. */
  readonly chosen: boolean
  /**
   * Why the level was changed: `conflicting`, `required X is missing`, `excluded by X` or `implied by X`. For a site
   * type: `second to X`, or why the best type was not named: `too little evidence`, `two types alike`, `no type fits`
   * or `too little text`.
   */
  readonly note?: string
}

/** A technology of a verdict, as its rule describes it. */
export interface TechnologyFacts {
  readonly slug: string
  readonly name: string
  readonly category: { readonly slug: string; readonly name: string }
  readonly level: Level
  readonly version: string | null
  /** Website of the vendor. */
  readonly website: string | null
  /** Slug of the builder, technology or provider that implies it, if that gave it its level; null if the page shows it. */
  readonly impliedBy: string | null
}

/** What came back: the site, or something instead of it. */
export interface PageAnswer {
  readonly state: PageState
  /** Display name of the product or provider whose page came back instead of the site; null if it is not known. */
  readonly by: string | null
  /** Status code of the answer; null if it is not known. */
  readonly status: number | null
}

/** The result of `detect`: the fields of the API without `cached`, and what explains them. */
export interface Verdict {
  readonly url: string | null
  readonly builder: string | null
  readonly builderSlug: string | null
  readonly confidence: Level | null
  readonly category: string | null
  readonly isAiNative: boolean
  readonly technologies: readonly string[]
  readonly hosting: string | null
  readonly siteType: string | null
  /** What came back: the site, or something instead of it. */
  readonly page: PageAnswer
  /** What the rules know about the technologies, in the same order. */
  readonly details: readonly TechnologyFacts[]
  /** Display name → version. */
  readonly versions: Readonly<Record<string, string>>
  readonly evidence: readonly Evidence[]
  readonly warnings: readonly string[]
  /** The work that was done. It depends on the page, not on the number of rules. */
  readonly cost: { readonly textsTested: number; readonly rulesEvaluated: number }
}
