import type { TechnologyFacts, Verdict } from '../engine/verdict/verdict-types.ts'
import { findSupport, isExact, type Support } from './find-support.ts'
import { formatCpe } from './format-cpe.ts'
import type { Lifecycles } from './lifecycle-types.ts'
import { openLifecycles } from './open-lifecycles.ts'

/** A technology of a result, with what is known about its version. */
export interface TechnologyDetail extends TechnologyFacts {
  /** Complete CPE 2.3 name; null if the product has none. */
  readonly cpe: string | null
  /** null if the version or the release cycles of the product are not known. */
  readonly support: Support | null
}

export interface DetailOptions {
  /** The time of the scan. The state of each version is that of its day (UTC). */
  readonly now: Date
  /** Tests supply their own. */
  readonly lifecycles?: Lifecycles
}

/**
 * Describes the technologies of a result, in its order.
 * @throws SetupError if the lifecycles cannot be read
 */
export function describeDetails(
  { details }: Pick<Verdict, 'details'>,
  { now, lifecycles = openLifecycles() }: DetailOptions,
): TechnologyDetail[] {
  const day = now.toISOString().slice(0, 10)
  const isDistributed = details.some(({ slug }) => lifecycles.distributions.includes(slug))
  return details.map((one) => {
    const { slug, version } = one
    if (!Object.hasOwn(lifecycles.products, slug)) return { ...one, cpe: null, support: null }
    const product = lifecycles.products[slug]
    const named = version !== null && isExact(product, version) ? version : null
    const cpe = product.cpe === null ? null : formatCpe(product.cpe, named)
    if (version === null) return { ...one, cpe, support: null }
    const certain = !(isDistributed && product.packaged === true)
    return { ...one, cpe, support: { ...findSupport(product, version, day), certain } }
  })
}
