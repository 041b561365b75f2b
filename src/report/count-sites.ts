import { formatCount } from '../views/format-text.ts'
import { nameSiteType, type ReportLabels, type ReportSite } from './site.ts'

/** Sites with one value: a builder, a category, an error code. */
export interface Count {
  readonly name: string
  readonly sites: number
  /** The number of these sites in the earlier results; null without a comparison. */
  readonly before: number | null
  /** The name of all remaining sites, such as "no builder found": listed last and less prominent. */
  readonly isRest?: boolean
}

/** The numbers of one chart. */
export interface ChartSection {
  /** Prefix of ids; unique in the report. */
  readonly id:
    | 'builders'
    | 'ai-native'
    | 'categories'
    | 'technologies'
    | 'ended'
    | 'hosting'
    | 'site-types'
    | 'confidence'
    | 'states'
    | 'errors'
  readonly title: string
  /** Heading of the names. */
  readonly head: string
  /** The sites that the shares refer to: all sites, those with a result, or those of them whose own page came back. */
  readonly base: 'all' | 'withResult' | 'ownPage'
  /** Number of these sites. */
  readonly total: number
  /** Whether a site can have several of the values, so that shares add up to more than 100 %. */
  readonly isMultiple: boolean
  readonly counts: readonly Count[]
}

/** All numbers of a report. */
export interface ReportNumbers {
  readonly sites: number
  readonly failed: number
  /** Sites instead of which something else came back. They are not part of the shares of builders and the like. */
  readonly notSite: number
  readonly withBuilder: number
  readonly aiNative: number
  /** Sections without any site are absent. */
  readonly sections: readonly ChartSection[]
}

const NO_BUILDER = 'No builder found'
const OWN_PAGE = 'The site'
/**
 * Title of a technology that is the builder, and of one that is not a technology in the rules: usually a CDN or a
 * hosting provider.
 */
const OTHER_CATEGORY = 'Builders, hosting and others'

type Tally = Map<string, number>

/** Counts the sites. `earlier` are the sites of the results with which these are compared. */
export function countSites(
  sites: Iterable<ReportSite>,
  labels: ReportLabels,
  earlier?: Iterable<ReportSite>,
): ReportNumbers {
  const now = tallySites(sites, labels)
  const before = earlier === undefined ? null : tallySites(earlier, labels)
  const { totals } = now
  const sections = SECTIONS.flatMap(({ rest, order, ...section }): ChartSection[] => {
    const counts = combine(now[section.id], before?.[section.id] ?? null, { order, rest })
    const isEmpty = section.id === 'states' ? counts.every(({ isRest }) => isRest) : counts.length === 0
    // Without other answers, all results are of the sites.
    const base = section.base === 'ownPage' && totals.ownPage === totals.withResult ? 'withResult' : section.base
    return isEmpty ? [] : [{ ...section, base, total: totals[base], counts }]
  })
  const { all, failed, withResult, ownPage } = totals
  const withBuilder = ownPage - (now.builders.get(NO_BUILDER) ?? 0)
  const aiNative = now['ai-native'].get(AI_NATIVE.yes) ?? 0
  return { sites: all, failed, notSite: withResult - ownPage, withBuilder, aiNative, sections }
}

/** Category of a technology, as the report groups them. */
export function findCategory(technology: string, { technologies }: Pick<ReportLabels, 'technologies'>): string {
  return technologies.get(technology) ?? OTHER_CATEGORY
}

const AI_NATIVE = { yes: 'AI-native builder', no: 'Other builder' } as const
const LEVELS = { high: 'High', medium: 'Medium', low: 'Low' } as const

const BASES = { all: '', withResult: ' with a result', ownPage: ' whose own page came back' } as const

/** Formats what shares are relative to, such as "8 sites with a result". */
export function formatBase({ total, base }: Pick<ChartSection, 'total' | 'base'>): string {
  return `${formatCount(total, 'site')}${BASES[base]}`
}

/**
 * All sections, each with the value that is listed last, and the order of its values. Without an order, they are sorted
 * by number.
 */
const SECTIONS: readonly (Omit<ChartSection, 'counts' | 'total'> & {
  readonly rest?: string
  readonly order?: readonly string[]
})[] = [
  section('builders', 'Builders', 'Builder', { rest: NO_BUILDER }),
  section('ai-native', 'AI-native share', 'Made with', { rest: NO_BUILDER, order: Object.values(AI_NATIVE) }),
  section('categories', 'Technologies by category', 'Category', { isMultiple: true, rest: OTHER_CATEGORY }),
  section('technologies', 'Most used technologies', 'Technology', { isMultiple: true }),
  section('ended', 'Versions without support', 'Product', { isMultiple: true }),
  section('hosting', 'Hosting', 'Hosting provider', { rest: 'Not known' }),
  section('site-types', 'Site types', 'Site type', { rest: 'Not known' }),
  section('confidence', 'Confidence of the builder', 'Confidence', { rest: NO_BUILDER, order: Object.values(LEVELS) }),
  { ...section('states', 'What came back', 'Answer', { rest: OWN_PAGE }), base: 'withResult' },
  { ...section('errors', 'Errors by code', 'Code', {}), base: 'all' },
]

function section(
  id: ChartSection['id'],
  title: string,
  head: string,
  more: { readonly isMultiple?: boolean; readonly rest?: string; readonly order?: readonly string[] },
) {
  return { id, title, head, base: 'ownPage' as const, isMultiple: false, ...more }
}

interface Tallies extends Record<ChartSection['id'], Tally> {
  readonly totals: { all: number; failed: number; withResult: number; ownPage: number }
}

function tallySites(sites: Iterable<ReportSite>, labels: ReportLabels): Tallies {
  const tallies = {
    ...(Object.fromEntries(SECTIONS.map(({ id }) => [id, new Map()])) as Record<ChartSection['id'], Tally>),
    totals: { all: 0, failed: 0, withResult: 0, ownPage: 0 },
  }
  for (const site of sites) {
    tallies.totals.all++
    if (site.failure !== null) {
      tallies.totals.failed++
      add(tallies.errors, site.failure.code)
    } else {
      tallies.totals.withResult++
      add(tallies.states, site.state ?? OWN_PAGE)
      if (site.state !== null) continue
      tallies.totals.ownPage++
      tallyResult(tallies, site, labels)
    }
  }
  return tallies
}

function tallyResult(tallies: Tallies, site: ReportSite, labels: ReportLabels): void {
  const { builder, isAiNative, confidence, hosting, siteType, technologies, ended } = site
  add(tallies.builders, builder ?? NO_BUILDER)
  add(tallies['ai-native'], builder === null ? NO_BUILDER : isAiNative ? AI_NATIVE.yes : AI_NATIVE.no)
  add(tallies.hosting, hosting ?? 'Not known')
  add(tallies['site-types'], siteType === null ? 'Not known' : nameSiteType(siteType, labels))
  add(tallies.confidence, confidence === null || builder === null ? NO_BUILDER : LEVELS[confidence])
  for (const technology of technologies) add(tallies.technologies, technology)
  for (const product of ended) add(tallies.ended, product)
  for (const category of new Set(technologies.map((technology) => findCategory(technology, labels))))
    add(tallies.categories, category)
}

function add(tally: Tally, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1)
}

/** Lists the values of both results: by order, or the most frequent ones first; the rest comes last. */
function combine(
  now: Tally,
  before: Tally | null,
  { order, rest }: { readonly order?: readonly string[] | undefined; readonly rest?: string | undefined },
): readonly Count[] {
  const names = [...new Set([...now.keys(), ...(before?.keys() ?? [])])]
  const counts = names.map((name) => ({
    name,
    sites: now.get(name) ?? 0,
    before: before === null ? null : (before.get(name) ?? 0),
    ...(name === rest && { isRest: true }),
  }))
  const rank = ({ name }: Count): number => (name === rest ? Number.POSITIVE_INFINITY : (order?.indexOf(name) ?? 0))
  return counts.sort((a, b) => {
    if (rank(a) !== rank(b)) return rank(a) - rank(b)
    return b.sites - a.sites || (b.before ?? 0) - (a.before ?? 0) || (a.name < b.name ? -1 : 1)
  })
}
