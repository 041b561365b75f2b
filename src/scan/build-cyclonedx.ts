import type { TechnologyDetail } from '../lifecycles/describe-details.ts'
import { openLifecycles } from '../lifecycles/open-lifecycles.ts'
import type { Extras } from './extra-schemas.ts'

/** Media type of CycloneDX documents in JSON: https://www.iana.org/assignments/media-types/application/vnd.cyclonedx+json */
export const CYCLONEDX_TYPE = 'application/vnd.cyclonedx+json'

/** The extras that a document needs. */
export const CYCLONEDX_EXTRAS = ['evidence', 'details', 'packages'] as const

/** A result with the extras of `CYCLONEDX_EXTRAS`. */
export interface DescribedResult extends Pick<Extras, 'evidence' | 'details' | 'packages'> {
  readonly url: string | null
  readonly meta?: Pick<Extras['meta'], 'scannedAt'>
}

interface DocumentOptions {
  /** Version of Siteprint. */
  readonly version: string
  /** Serial number of the document: a UUID. */
  readonly serial: string
  /** Time of the scan, if the result does not have `meta`. */
  readonly now?: Date
}

type Component = Readonly<Record<string, unknown>> & { readonly 'bom-ref': string }

/** The most points of a rule in the evidence: confidence is their share. */
const MAX_POINTS = 6
const SITE = 'site'

/**
 * Describes a site as a CycloneDX document, version 1.6 (https://cyclonedx.org/docs/1.6/json/): a component for each technology, with its
 * version, CPE name and evidence, and one for each package of npm that no technology stands for.
 */
export function buildCycloneDx(result: DescribedResult, { version, serial, now }: DocumentOptions): object {
  const { url, evidence, details, packages, meta } = result
  const technologies = details.map((detail) => describeTechnology(detail, evidence))
  const known = new Set(technologies.map(({ purl }) => purl))
  const others = packages.filter(({ purl }) => !known.has(purl)).map(describePackage)
  const components = [...technologies, ...others]
  const timestamp = meta?.scannedAt ?? now?.toISOString()
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${serial}`,
    version: 1,
    metadata: {
      ...(timestamp !== undefined && { timestamp }),
      tools: { components: [{ type: 'application', name: 'siteprint', version }] },
      component: {
        type: 'application',
        'bom-ref': SITE,
        name: url === null ? 'saved page' : new URL(url).host,
        ...(url !== null && { externalReferences: [{ type: 'website', url }] }),
      },
    },
    components,
    dependencies: [{ ref: SITE, dependsOn: components.map((component) => component['bom-ref']) }],
  }
}

/** Category → type of component; `application` for all others. */
const TYPES: Readonly<Record<string, string>> = {
  'css-framework': 'framework',
  'javascript-framework': 'framework',
  'web-framework': 'framework',
  'javascript-library': 'library',
  animation: 'library',
  'ui-kit': 'library',
  language: 'platform',
  'operating-system': 'operating-system',
}

function describeTechnology(detail: TechnologyDetail, evidence: Extras['evidence']): Component {
  const { slug, name, category, version, website, cpe } = detail
  const purl = findPurl(detail)
  return {
    type: Object.hasOwn(TYPES, category.slug) ? TYPES[category.slug] : 'application',
    'bom-ref': `technology:${slug}:${category.slug}`,
    name,
    ...(version !== null && { version }),
    ...(cpe !== null && { cpe }),
    ...(purl !== null && { purl }),
    ...(website !== null && { externalReferences: [{ type: 'website', url: website }] }),
    ...describeEvidence(detail, evidence),
    properties: listProperties(detail),
  }
}

/** The package URL of a technology that is a package of npm, if its whole version is known. */
function findPurl({ slug, version }: TechnologyDetail): string | null {
  const { products } = openLifecycles()
  const name = Object.hasOwn(products, slug) ? products[slug].npm : null
  if (name === null || version === null || !/^\d+\.\d+\.\d+$/.test(version)) return null
  return `pkg:npm/${name.split('/').map(encodeURIComponent).join('/')}@${version}`
}

/** What the rule of a technology found on the page. An implied technology has no evidence of its own. */
function describeEvidence({ slug, name }: TechnologyDetail, evidence: Extras['evidence']): object {
  const found = evidence.find((one) => one.chosen && one.slug === slug && one.name === name)
  if (found === undefined || found.clauses.length === 0) return {}
  const confidence = Math.round((100 * Math.min(MAX_POINTS, found.points)) / MAX_POINTS) / 100
  const methods = found.clauses.map(({ clause, texts }) => ({
    technique: 'other',
    confidence,
    value: texts.length === 0 ? clause : `${clause}: ${texts[0]}`,
  }))
  return { evidence: { identity: [{ field: 'name', confidence, methods }] } }
}

function listProperties({ category, level, impliedBy, support }: TechnologyDetail): readonly object[] {
  const values = {
    category: category.slug,
    level,
    impliedBy,
    'support:cycle': support?.cycle,
    'support:state': support?.state,
    'support:ends': support?.ends,
    'support:latest': support?.latest,
    'support:certain': support && String(support.certain),
  }
  return Object.entries(values).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [{ name: `siteprint:${name}`, value }],
  )
}

function describePackage({ name, version, purl }: Extras['packages'][number]): Component {
  const [scope, own] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': `package:${name}@${version ?? ''}`,
    ...(scope !== undefined && { group: scope }),
    name: own,
    ...(version !== null && { version }),
    purl,
  }
}
