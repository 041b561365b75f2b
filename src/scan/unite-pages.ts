import { MAX_TECHNOLOGIES } from '../engine/text/bounds.ts'
import { compareBy } from '../engine/text/compare-by.ts'
import { rankLevel } from '../engine/verdict/score.ts'
import type { Verdict } from '../engine/verdict/verdict-types.ts'
import type { TechnologyDetail } from '../lifecycles/describe-details.ts'
import type { Extras, SystemPart } from './extra-schemas.ts'

/** What was found on one page of a site. */
export interface PageFindings {
  readonly verdict: Verdict
  /** The technologies, and whether their versions were supported on the day of the scan. */
  readonly details: readonly TechnologyDetail[]
  readonly packages: Extras['packages']
  /** Whether scripts or style sheets of the page came too late to be analysed. */
  readonly isLate: boolean
}

/**
 * Unites what was found on the pages of a site: technologies, versions and packages of all pages, everything else of the first page. Each page
 * is a part.
 * @param pages the first page first
 */
export function unitePages(pages: readonly PageFindings[]): PageFindings & { readonly parts: readonly SystemPart[] } {
  const [{ verdict: front }] = pages
  const details = uniteDetails(pages.flatMap((page) => page.details)).slice(0, MAX_TECHNOLOGIES)
  const versions = Object.fromEntries(
    details.flatMap(({ name, version }) => (version === null ? [] : [[name, version] as const])),
  )
  const packages = new Map(pages.flatMap((page) => page.packages).map((one) => [`${one.name} ${one.version}`, one]))
  return {
    verdict: { ...front, technologies: details.map(({ name }) => name), details, versions },
    details,
    packages: [...packages.values()].sort(
      compareBy(
        ({ name }) => name,
        ({ version }) => version ?? '',
      ),
    ),
    isLate: pages.some((page) => page.isLate),
    parts: pages.map(({ verdict }) => describePart(verdict)),
  }
}

function describePart({ url, builder, builderSlug, confidence, siteType, technologies }: Verdict): SystemPart {
  return { url: url ?? '', builder, builderSlug, confidence, siteType, technologies }
}

/** Unites technologies by name: the surest first, then by name. The version is that of the first page that shows one. */
function uniteDetails(all: readonly TechnologyDetail[]): readonly TechnologyDetail[] {
  const united = new Map<string, TechnologyDetail>()
  for (const one of all) {
    const known = united.get(one.name)
    if (known === undefined) {
      united.set(one.name, one)
      continue
    }
    const { level, impliedBy } = rankLevel(one.level) > rankLevel(known.level) ? one : known
    const { version, cpe, support } = known.version === null ? one : known
    united.set(one.name, { ...known, level, impliedBy, version, cpe, support })
  }
  return [...united.values()].sort(
    compareBy(
      ({ level }) => rankLevel(level),
      ({ name }) => name,
    ),
  )
}
