import type { CacheEntry } from '../../coordination/types.ts'
import type { RulesetLabels } from '../../detector/ruleset-labels.ts'
import { describeEnd } from '../../lifecycles/describe-end.ts'
import type { Extras, SystemPart } from '../../scan/extra-schemas.ts'
import type { ScanResult } from '../../service/response-schemas.ts'

/** Everything that a scan has found. */
export interface ScanReport {
  readonly result: Omit<ScanResult, 'cached'>
  readonly extras: PageExtras
}

/** The extras that the page of a scan shows. */
type PageExtras = Omit<Extras, 'meta'> & { readonly parts: readonly SystemPart[] }

type EvidenceItem = Extras['evidence'][number]

const NO_EXTRAS: PageExtras = {
  evidence: [],
  versions: {},
  infrastructure: {
    cdn: null,
    dns: [],
    ip: null,
    tlsIssuer: null,
    tlsError: null,
    server: null,
    network: null,
    reverseDns: null,
  },
  timing: { fetch: 0, evidence: 0, bodies: 0, match: 0, total: 0 },
  warnings: [],
  page: { state: 'site', by: null, status: null },
  details: [],
  packages: [],
  parts: [],
}

/** Reads a stored scan. It may lack fields that later versions have added to results. */
export function readReport({ result, extras = '{}' }: CacheEntry): ScanReport {
  const stored = JSON.parse(extras) as Partial<PageExtras>
  const infrastructure = { ...NO_EXTRAS.infrastructure, ...stored.infrastructure }
  return { result: JSON.parse(result), extras: { ...NO_EXTRAS, ...stored, infrastructure } }
}

interface Technology {
  readonly name: string
  readonly version: string | null
  /** That the support of the version has ended; null if it has not, or is not known. */
  readonly ended: string | null
}

export interface TechnologyGroup {
  readonly title: string
  readonly technologies: readonly Technology[]
}

/** Kind of a rule that is not a technology → title of the group in which its names are listed. */
const OTHER_GROUPS: Readonly<Record<string, string>> = { builder: 'Builder', hosting: 'CDN and hosting' }
const UNKNOWN_GROUP = 'Other'

/** Groups the technologies of a scan by category: the builder first, then by title. */
export function groupTechnologies({ result, extras }: ScanReport, labels: RulesetLabels): readonly TechnologyGroup[] {
  const kinds = new Map(extras.evidence.filter(({ chosen }) => chosen).map(({ name, kind }) => [name, kind]))
  const details = new Map(extras.details.map((detail) => [detail.name, detail]))
  const groups = new Map<string, Technology[]>()
  for (const name of result.technologies) {
    const title = findGroup(name, { builder: result.builder, kind: kinds.get(name), labels })
    const version = findOwn(extras.versions, name) ?? null
    const support = details.get(name)?.support
    const ended = support?.state === 'ended' ? describeEnd(support) : null
    groups.set(title, [...(groups.get(title) ?? []), { name, version, ended }])
  }
  const isBuilder = (title: string): boolean => title === OTHER_GROUPS.builder
  return [...groups]
    .map(([title, technologies]) => ({ title, technologies }))
    .sort((a, b) => Number(isBuilder(b.title)) - Number(isBuilder(a.title)) || a.title.localeCompare(b.title))
}

function findGroup(
  name: string,
  { builder, kind = '', labels }: { builder: string | null; kind: string | undefined; labels: RulesetLabels },
): string {
  const group = name === builder ? OTHER_GROUPS.builder : findOwn(labels.technologies, name)
  return group ?? findOwn(OTHER_GROUPS, kind) ?? UNKNOWN_GROUP
}

/** Names come from rules and sites: `constructor` must not find a property of every object. */
function findOwn(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** The title of a builder category in plain words. */
export function nameCategory(category: string, { categories }: RulesetLabels): string {
  return findOwn(categories, category) ?? spell(category)
}

export function nameSiteType(siteType: string, { siteTypes }: RulesetLabels): string {
  return findOwn(siteTypes, siteType) ?? spell(siteType)
}

/** Turns a slug that the rules no longer contain into words. */
function spell(slug: string): string {
  const words = slug.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Describes a place in a few words: the first part of its description. */
export function namePlace(place: string, { places }: RulesetLabels): string {
  const [first] = (findOwn(places, place) ?? place).split(/[,:;(]/)
  return first.trim()
}

/** The evidence of a scan: for what is part of the result, and for what was only considered. */
export function splitEvidence({
  extras: { evidence },
}: ScanReport): Readonly<Record<'chosen' | 'others', readonly EvidenceItem[]>> {
  const rank = (kind: string): number => KINDS.findIndex(([name]) => name === kind)
  const sorted = [...evidence].sort((a, b) => rank(a.kind) - rank(b.kind))
  return { chosen: sorted.filter(({ chosen }) => chosen), others: sorted.filter(({ chosen }) => !chosen) }
}

/** Kinds of rules in the order of the page, with their headings. */
const KINDS: readonly (readonly [kind: EvidenceItem['kind'], title: string])[] = [
  ['response', 'What came back'],
  ['builder', 'Builder'],
  ['hosting', 'Hosting'],
  ['site-type', 'Site type'],
  ['technology', 'Technology'],
]

export function nameKind(kind: EvidenceItem['kind']): string {
  return KINDS.find(([name]) => name === kind)?.[1] ?? kind
}

/** Note that names no rule → the same in plain words. */
const NOTES: Readonly<Record<string, string>> = {
  'not the page of the site': 'Not counted: the page that came back is not that of the site.',
  conflicting: 'Marks of several builders were found that exclude each other.',
  'too little evidence': 'The best guess, but with too little evidence to name it.',
  'two types alike': 'The best guess, but another type is almost as likely.',
  'no type fits': 'The page says nothing about the type of the site.',
  'too little text': 'The best guess, but the page has too little text.',
}

/** Explains in plain words why a rule is not part of the result, or what raised its level. */
export function explainNote(note: string, { extras: { evidence } }: ScanReport): string {
  const [, reason, slug] = /^(required|excluded by|implied by) (\S+)/.exec(note) ?? []
  const other = evidence.find((item) => item.slug === slug)
  const name = other?.name ?? slug
  if (reason === 'required') return `Not counted: it needs ${name}, which was not found.`
  if (reason === 'excluded by') return `Not counted: ${name} was found, and the two exclude each other.`
  if (reason === 'implied by' && other?.kind === 'response') return 'The page that came back is its own.'
  if (reason === 'implied by') return `Sites made with ${name} always have it.`
  if (note.startsWith('second to ')) return 'The site type with the second highest score.'
  return findOwn(NOTES, note) ?? note
}
