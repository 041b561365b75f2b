import type { Support } from './find-support.ts'

/** Says in a few words that the support of a version has ended. */
export function describeEnd({ ends, certain }: Pick<Support, 'ends' | 'certain'>): string {
  const ended = ends === null ? 'support has ended' : `support ended on ${ends}`
  return certain ? ended : `${ended}; a distribution may still patch it`
}
