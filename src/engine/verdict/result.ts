import type { Verdict } from './verdict-types.ts'

/** Optional fields of a result, in addition to the ten fields that it always has. */
export const EXTRAS = ['evidence', 'versions', 'warnings', 'page'] as const
export type Extra = (typeof EXTRAS)[number]

type VerdictFields = Omit<Verdict, Extra | 'details' | 'cost'>

/** The ten fields of a result, in the order of the specification, followed by the extras. */
export type Result = VerdictFields & { readonly cached: boolean } & Partial<Pick<Verdict, Extra>>

/** Whether a result has an extra without being asked: what came back, if it is not the site. */
export function isUnasked(extra: string, { page }: Pick<Verdict, 'page'>): boolean {
  return extra === 'page' && page.state !== 'site'
}

/** Turns a verdict into a result with the given extras. */
export function toResult(verdict: Verdict, include: readonly Extra[] = []): Result {
  const { url, builder, builderSlug, confidence, category, isAiNative, technologies, hosting, siteType } = verdict
  const extras = Object.fromEntries(
    EXTRAS.filter((key) => include.includes(key) || isUnasked(key, verdict)).map((key) => [key, verdict[key]]),
  )
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
