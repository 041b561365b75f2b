import type { Verdict } from '../engine/verdict/verdict-types.ts'

/**
 * The extras of a live result, which `include` adds after the ten fields. A light module, so that schemas can import
 * it.
 */
export const LIVE_EXTRAS = [
  'evidence',
  'versions',
  'infrastructure',
  'timing',
  'warnings',
  'meta',
  'page',
  'details',
  'packages',
] as const
export type LiveExtra = (typeof LIVE_EXTRAS)[number]

/** Extras that revision 1 of the API does not have. */
const ONLY_REVISION_2: readonly LiveExtra[] = ['meta', 'page', 'details', 'packages']

/** Lists the extras of a revision of the API. */
export function listExtras(revision: 1 | 2): readonly LiveExtra[] {
  return revision === 2 ? LIVE_EXTRAS : LIVE_EXTRAS.filter((extra) => !ONLY_REVISION_2.includes(extra))
}

/** Finds the display name of the CDN of a page; null if there is none. */
export function findCdn({ evidence, hosting }: Pick<Verdict, 'evidence' | 'hosting'>): string | null {
  return evidence.find(({ kind, name, chosen }) => kind === 'hosting' && chosen && name !== hosting)?.name ?? null
}
