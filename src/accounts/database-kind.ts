import type { BetterAuthOptions, DBAdapter } from 'better-auth'

/** How to use one kind of database. */
export interface DatabaseKind {
  readonly translate: (error: unknown) => unknown
  /** Returns a function that returns the adapter, which may be replaced. */
  readonly prepare: (options: BetterAuthOptions) => Promise<() => DBAdapter>
}
