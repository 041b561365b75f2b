import type { Verdict } from './verdict-types.ts'

/** Optional fields of a result, in addition to the ten fields that it always has. */
export const EXTRAS = ['evidence', 'versions', 'warnings'] as const
export type Extra = (typeof EXTRAS)[number]

type Fields = Omit<Verdict, Extra | 'page' | 'cost'>

/** The ten fields of a result, in the order of the specification, followed by the extras. */
export type Result = Fields & { readonly cached: boolean } & Partial<Pick<Verdict, Extra>>

/** Turns a verdict into a result with the given extras. */
export function toResult(verdict: Verdict, include: readonly Extra[] = []): Result {
  const { url, builder, builderSlug, confidence, category, isAiNative, technologies, hosting, siteType } = verdict
  const extras = Object.fromEntries(EXTRAS.filter((key) => include.includes(key)).map((key) => [key, verdict[key]]))
  return {
    url,
    builder,
    builderSlug,
    confidence,
    category,
    isAiNative,
    technologies,
    hosting,
    siteType,
    cached: false,
    ...extras,
  }
}
