import type { Conformance } from './conformance.ts'

type PageCase = Conformance['pages'][number]

/** One of so many pages that show nothing new is picked too: most of them are misses. */
const SAMPLE_INTERVAL = 20

/**
 * Picks the cases with which a ruleset is tried before it is used: for each name that results contain the first page that shows it,
 * and a sample of the others. All 15,000 pages would take too long on a server that is in use.
 */
export function pickCases(pages: readonly PageCase[]): PageCase[] {
  const shown = new Set<string>()
  let others = 0
  return pages.filter(({ result }) => {
    const { builderSlug, hosting, siteType, technologies } = result
    const names = [`builder ${builderSlug}`, `hosting ${hosting}`, `type ${siteType}`, ...technologies]
    const before = shown.size
    for (const name of names) shown.add(name)
    return shown.size > before || others++ % SAMPLE_INTERVAL === 0
  })
}
