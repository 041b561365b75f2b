import type { Family } from './place.ts'

export type Weight = 'strong' | 'medium' | 'weak'

export type RuleKind = 'builder' | 'hosting' | 'site-type' | 'technology'

/** A JSON Logic expression over hits: `{"var":["c3",0]}` and the operations if, or, and, !, >=, +, min. */
export type Logic = number | boolean | string | readonly Logic[] | { readonly [operation: string]: readonly Logic[] }

/** One place-and-word of a rule, with its tests. `id` is its variable in the rule's expression. */
export interface Leaf {
  readonly id: string
  /** The variable that is 1 when the place was seen; only under a `not`. */
  readonly seenId?: string
  readonly place: string
  readonly words: readonly string[]
  readonly is?: readonly string[]
  readonly has?: readonly string[]
  readonly under?: readonly string[]
  readonly match?: string
  /** Capture group of `match` that is the version. */
  readonly version?: number
  readonly from?: 'own' | 'other'
  readonly attr?: string
  readonly atLeast?: number
  readonly exact?: boolean
  /**
   * The variable that says what the leaf needs of sibling hosts to reach `atLeast`: absent or 0 for nothing, 1 for their
   * scripts or style sheets, 2 for other files. Only with `from: own` in a place of the family `loaded`.
   */
  readonly siblingId?: string
  /** A hit of it can lift the rule: it does not stand under a `not`. */
  readonly positive: boolean
}

/** One clause of `detect`. */
export interface Clause {
  readonly weight: Weight
  readonly family: Family
  /** Ids of its leaves. */
  readonly leaves: readonly string[]
  /** Whether it holds. */
  readonly holds: Logic
  /** Whether it holds without files of sibling hosts; else it weighs less. Only where a leaf has a `siblingId`. */
  readonly ownHost?: Logic
  /** Whether it holds without other files of sibling hosts than scripts and style sheets. */
  readonly siblingCode?: Logic
  /** Its hit: of one place the number of values, of a group the number of clauses that hold. */
  readonly hits: Logic
  /** The clause as its author wrote it, in YAML's flow style. */
  readonly text: string
}

/** A clause as it stands in YAML, checked: a place with its word and tests, or a group. */
export type ClauseSource = Readonly<Record<string, unknown>>

/** A rule as it stands in YAML, checked; kind and slug are its folder and file name. */
export interface RuleSource {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  readonly website?: string
  readonly category?: string
  readonly aiNative?: boolean
  readonly hosting?: string
  readonly role?: 'cdn'
  readonly implies?: string | readonly string[]
  readonly requires?: string | readonly string[]
  readonly excludes?: string | readonly string[]
  readonly rank?: number
  readonly fallback?: boolean
  /** A site type that may be given to a page of fewer than 20 visible words. */
  readonly thin?: boolean
  readonly description?: string
  readonly detect: readonly ClauseSource[]
  readonly source: readonly string[]
  readonly verified: string
}

/** A rule, compiled: plain JSON. */
export interface CompiledRule {
  readonly kind: RuleKind
  readonly slug: string
  readonly name: string
  readonly website?: string
  readonly category?: string
  readonly aiNative?: boolean
  readonly hosting?: string
  readonly cdn?: boolean
  readonly implies: readonly string[]
  readonly requires: readonly string[]
  readonly excludes: readonly string[]
  readonly rank: number
  readonly fallback?: boolean
  readonly thin?: boolean
  readonly leaves: readonly Leaf[]
  readonly clauses: readonly Clause[]
  /** From hits to points, 0 to 6. */
  readonly logic: Logic
}

export interface Categories {
  readonly builders: Readonly<Record<string, { readonly revision1?: string; readonly standsBack?: boolean }>>
  readonly technologies: Readonly<Record<string, string>>
}
