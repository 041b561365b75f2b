// What an answer is made of.

import type { Family } from '../rule/place.ts'
import type { RuleKind, Weight } from '../rule/types.ts'

export type Level = 'high' | 'medium' | 'low'

/** What one clause did on a page. */
export interface ClauseEvidence {
  readonly clause: string
  readonly places: readonly string[]
  readonly weight: Weight
  readonly family: Family
  readonly hits: number
  /** What stood there, cut to 200 characters each. */
  readonly texts: readonly string[]
}

/** Why a rule stands where it stands. */
export interface Evidence {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  /** The level after relations and conflicts; null when the rule was dropped. */
  readonly level: Level | null
  readonly points: number
  /** Clauses that hold. */
  readonly clauses: readonly ClauseEvidence[]
  /** Places that the rule asks for and nobody looked at. */
  readonly unseen: readonly string[]
  /** Whether this rule is part of the answer. */
  readonly chosen: boolean
  /** Why not, or what lifted it: `conflicting`, `required X is missing`, `excluded by X`, `implied by X`. */
  readonly note?: string
}

/** What `detect` answers: the ten fields of the API but `cached`, and what explains them. */
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
  /** Display name → version. */
  readonly versions: Readonly<Record<string, string>>
  readonly evidence: readonly Evidence[]
  readonly warnings: readonly string[]
  /** What the work was: it goes by the page, not by the number of rules. */
  readonly cost: { readonly textsTested: number; readonly rulesEvaluated: number }
}
