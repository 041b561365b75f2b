import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Settings of the property tests: fixed in `npm test`, different in each round of `node tools/fuzz.mjs`. */
    readonly properties: { readonly seed: number; readonly runsFactor: number }
  }
}

/**
 * The number of runs of a property that needs another number than the default of fast-check, 100. `node tools/fuzz.mjs`
 * multiplies it.
 * @param usual the number of runs in `npm test`
 */
export function countRuns(usual: number): number {
  return usual * inject('properties').runsFactor
}
