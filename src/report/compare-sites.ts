import type { ReportSite } from './site.ts'

/** Kinds of changes, in the order in which they are listed, and what they are called. */
export const CHANGE_KINDS = {
  added: 'New in the results',
  removed: 'No longer in the results',
  fails: 'Newly failing',
  works: 'Working again',
  pageState: 'Something else came back',
  builder: 'Different builder',
  hosting: 'Different hosting',
  siteType: 'Different site type',
  technologiesAdded: 'Technologies added',
  technologiesRemoved: 'Technologies removed',
  versions: 'Different versions',
} as const
export type ChangeKind = keyof typeof CHANGE_KINDS

/** One change of a site: a value, or the names of technologies in `to`. */
export interface Change {
  readonly kind: ChangeKind
  /** Technology → old and new version. */
  readonly versions?: readonly (readonly [technology: string, from: string, to: string])[]
  /** Technologies that were added or removed. */
  readonly names?: readonly string[]
  /** The old and the new value; null for none. */
  readonly from?: string | null
  readonly to?: string | null
}

/** A site that changed. */
export interface SiteChanges {
  readonly site: ReportSite
  /** At least one, in the order of `CHANGE_KINDS`. */
  readonly changes: readonly Change[]
}

/** The difference of two results. */
export interface SitesComparison {
  /** Sites that changed, in the order of the results, followed by those that are no longer in them. */
  readonly sites: readonly SiteChanges[]
  /** Sites that are equal in both results, including those that fail in both. */
  readonly unchanged: number
  /** Number of sites of each kind of change. */
  readonly counts: ReadonlyMap<ChangeKind, number>
}

/**
 * Compares the results of the same sites.
 * @param earlier key of a site → site
 */
export function compareSites(
  earlier: ReadonlyMap<string, ReportSite>,
  later: ReadonlyMap<string, ReportSite>,
): SitesComparison {
  const sites: SiteChanges[] = []
  const counts = new Map<ChangeKind, number>()
  let unchanged = 0
  const take = (site: ReportSite, changes: readonly Change[]): void => {
    if (changes.length === 0) unchanged++
    else sites.push({ site, changes })
    for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  for (const [key, site] of later) {
    const before = earlier.get(key)
    take(site, before === undefined ? [{ kind: 'added' }] : listChanges(before, site))
  }
  for (const [key, site] of earlier) if (!later.has(key)) take(site, [{ kind: 'removed' }])
  return { sites, unchanged, counts }
}

function listChanges(before: ReportSite, after: ReportSite): readonly Change[] {
  if (after.failure !== null)
    return before.failure === null ? [{ kind: 'fails', from: null, to: after.failure.code }] : []
  if (before.failure !== null) {
    const { code } = before.failure
    if (after.state !== null) return [{ kind: 'pageState', from: `nothing (${code})`, to: after.state }]
    return [{ kind: 'works', from: code, to: null }]
  }
  // What came back instead of a site says too little about it: a builder is neither lost nor gained.
  if (before.state !== after.state) return [{ kind: 'pageState', from: before.state, to: after.state }]
  const values = (['builder', 'hosting', 'siteType'] as const)
    .filter((kind) => before[kind] !== after[kind])
    .map((kind): Change => ({ kind, from: before[kind], to: after[kind] }))
  return [...values, ...listTechnologyChanges(before, after)]
}

/** A builder is a technology, too. It is not repeated when it changed. */
function listTechnologyChanges(before: ReportSite, after: ReportSite): readonly Change[] {
  const isListed = (name: string): boolean =>
    before.builder === after.builder || (name !== before.builder && name !== after.builder)
  const listMissing = (from: ReportSite, within: ReportSite): readonly string[] => {
    const known = new Set(within.technologies)
    return from.technologies.filter((name) => !known.has(name) && isListed(name))
  }
  const added = listMissing(after, before)
  const removed = listMissing(before, after)
  const versions = [...after.versions].flatMap(([technology, to]) => {
    const from = before.versions.get(technology)
    return from === undefined || from === to ? [] : [[technology, from, to] as const]
  })
  return [
    ...(added.length > 0 ? [{ kind: 'technologiesAdded', names: added } as const] : []),
    ...(removed.length > 0 ? [{ kind: 'technologiesRemoved', names: removed } as const] : []),
    ...(versions.length > 0 ? [{ kind: 'versions', versions } as const] : []),
  ]
}

/** Describes a change in a few words, such as "Hosting: Vercel → Netlify". The text is not escaped. */
export function describeChange(change: Change, nameType: (siteType: string) => string): string {
  const { kind, names = [], versions = [], from = null, to = null } = change
  const nameOrNull = (siteType: string | null): string => (siteType === null ? 'not known' : nameType(siteType))
  switch (kind) {
    case 'added':
    case 'removed':
      return CHANGE_KINDS[kind]
    case 'fails':
      return `Fails: ${to}`
    case 'works':
      return `Works again (was ${from})`
    case 'technologiesAdded':
    case 'technologiesRemoved':
      return `${CHANGE_KINDS[kind]}: ${names.join(', ')}`
    case 'versions':
      return versions.map(([name, old, current]) => `${name} ${old} → ${current}`).join(', ')
    case 'pageState':
      return `Came back: ${from ?? 'the site'} → ${to ?? 'the site'}`
    case 'builder':
      return `Builder: ${from ?? 'none'} → ${to ?? 'none'}`
    case 'hosting':
      return `Hosting: ${from ?? 'not known'} → ${to ?? 'not known'}`
    case 'siteType':
      return `Site type: ${nameOrNull(from)} → ${nameOrNull(to)}`
  }
}
