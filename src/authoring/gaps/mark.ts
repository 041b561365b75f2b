/** Kinds of marks, in the order of the documentation. */
export const MARK_KINDS = [
  'generator',
  'credit',
  'site',
  'resource',
  'package',
  'header',
  'cookie',
  'global',
  'class',
  'id',
] as const

export type MarkKind = (typeof MARK_KINDS)[number]

/** Something in a page that may show with which product it was made. */
export interface Mark {
  readonly kind: MarkKind
  /** What is counted: a name, a host, or the beginning of names. */
  readonly key: string
  /** How the page shows it, for people: one line of at most `MAX_SHOWN` characters. */
  readonly shown: string
  /** Whether a clause of a rule that scores on the page hits it. */
  readonly isExplained: boolean
}

/** Maximum number of characters of `shown`. */
export const MAX_SHOWN = 120
