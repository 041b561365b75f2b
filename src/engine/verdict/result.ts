import type { Verdict } from './verdict-types.ts'

/** What an answer may hold beside the ten fields, when it is asked for. */
export const EXTRAS = ['evidence', 'versions', 'warnings'] as const
export type Extra = (typeof EXTRAS)[number]

type Fields = Pick<
  Verdict,
  'url' | 'builder' | 'builderSlug' | 'confidence' | 'category' | 'isAiNative' | 'technologies' | 'hosting' | 'siteType'
>

/** The ten fields of an answer, in the order of the specification, then the extras. */
export type Result = Fields & { readonly cached: boolean } & Partial<Pick<Verdict, Extra>>

/** Makes the answer of a verdict. */
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
