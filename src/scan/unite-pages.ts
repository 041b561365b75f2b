import { MAX_TECHNOLOGIES } from '../engine/text/bounds.ts'
import type { Level, Verdict } from '../engine/verdict/verdict-types.ts'
import type { TechnologyDetail } from '../lifecycles/describe-details.ts'
import type { Extras, Part } from './extra-schemas.ts'

/** What was found on one page of a site. */
export interface PageFindings {
  readonly verdict: Verdict
  readonly details: readonly TechnologyDetail[]
  readonly packages: Extras['packages']
  /** Whether scripts or style sheets of the page came too late to be analysed. */
  readonly isLate: boolean
}

const LEVELS: readonly Level[] = ['high', 'medium', 'low']

/**
 * Unites what was found on the pages of a site: technologies, versions and packages of all pages, everything else of the first page. Each page
 * is a part.
 * @param pages the first page first
 */
export function unitePages(pages: readonly PageFindings[]): PageFindings & { readonly parts: readonly Part[] } {
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
      (a, b) => compareTexts(a.name, b.name) || compareTexts(a.version ?? '', b.version ?? ''),
    ),
    isLate: pages.some((page) => page.isLate),
    parts: pages.map(({ verdict }) => describePart(verdict)),
  }
}

function describePart({ url, builder, builderSlug, confidence, siteType, technologies }: Verdict): Part {
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
    const { level, impliedBy } = LEVELS.indexOf(one.level) < LEVELS.indexOf(known.level) ? one : known
    const { version, cpe, support } = known.version === null ? one : known
    united.set(one.name, { ...known, level, impliedBy, version, cpe, support })
  }
  return [...united.values()].sort(
    (a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) || compareTexts(a.name, b.name),
  )
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
