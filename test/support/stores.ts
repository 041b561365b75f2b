import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * The stores that the project of Vitest tries. A file `*.stores.test.ts` runs in two projects: with memory and SQLite in `unit`, with
     * Redis and MongoDB in `system`.
     */
    readonly stores: 'embedded' | 'servers'
  }
}

/** Chooses between the two kinds of stores by the project that runs the current file. */
export function chooseStores<T>(kinds: { readonly embedded: () => T; readonly servers: () => T }): T {
  return kinds[inject('stores')]()
}
