/** The extras of a live result: what `include` can add after the ten fields. A light module, so that schemas can import it. */
export const LIVE_EXTRAS = ['evidence', 'versions', 'infrastructure', 'timing', 'warnings'] as const
export type LiveExtra = (typeof LIVE_EXTRAS)[number]
