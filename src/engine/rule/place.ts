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

/** A place: where a clause looks. Rules are checked and compiled with this alone; a detector reads it. */
export interface Place {
  /** The key that rules use. */
  readonly key: string
  /** One sentence, for the documentation and the editor's schema. */
  readonly about: string
  readonly family: Family
  readonly word: WordKind
  /** The closed list of words, where there is one. With `labels` a word may continue after a space (`txt _label`). */
  readonly names?: readonly string[]
  readonly labels?: boolean
}
