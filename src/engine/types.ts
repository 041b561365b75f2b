// The words the whole project shares: what a detector is, what a compiled rule is, what a verdict is.
import type { Page, PageUrl } from './page/page-types.ts'

export type * from './page/page-types.ts'
export type * from './verdict/verdict-types.ts'

/** What a place says about a site; clauses of one family are not independent of each other. */
export type Family =
  | 'address'
  | 'response'
  | 'network'
  | 'declared'
  | 'loaded'
  | 'markup'
  | 'code'
  | 'side'
  | 'content'
  | 'found'

/** How the word of a clause is read, and so how the index looks it up. */
export type WordKind = 'name' | 'value' | 'locator' | 'literal' | 'selector' | 'path'

/** One thing that a detector found. */
export interface Found {
  /** The word it stands for: a name, a value, a path, a selector; '' for locators and literals. */
  readonly name: string
  /** The value that tests look at; absent = the text of the element `at`. */
  readonly text?: string
  /** The element it stands in: two finds of one element count once. */
  readonly at?: number
  /** Of a locator place: the URL, where the page has resolved it already. */
  readonly url?: PageUrl
  /** Of a counting place: the hit itself. */
  readonly amount?: number
}

/** What the rules ask of one place, made by the index: a detector looks a word up here, it never loops over words. */
export interface Wanted {
  /** Whether a rule asks for this name (or for a path that goes on from here). Case is ignored. */
  has(word: string): boolean
  /** The selectors that the element `at` fits. */
  selectors(page: Page, at: number): readonly string[]
}

/** A plugin: one place to look. It says where; the engine decides what matches. */
export interface Detector {
  /** The place: the key that rules use. */
  readonly key: string
  /** One sentence, for the docs and the editor's schema. */
  readonly about: string
  readonly family: Family
  readonly word: WordKind
  /** The closed list of words, where there is one; a word may go on after a space (`txt _label`) with `labels`. */
  readonly names?: readonly string[]
  readonly labels?: boolean
  /** What the page has and a rule wants. The cost goes by the page, not by the rules. */
  read(page: Page, wanted: Wanted): Iterable<Found>
  /** Whether the place was looked at for this word; a place without it always was. */
  seen?(page: Page, word: string): boolean
}

export type Weight = 'strong' | 'medium' | 'weak'
export type Level = 'high' | 'medium' | 'low'
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
