import type { RulesetInfo } from '../../src/detector/ruleset-info.ts'
import type { LiveScan } from '../../src/scan/scanner.ts'

/** Information about the rules, for tests that load none. */
export const SAMPLE_RULES: RulesetInfo = {
  version: 'rules-of-the-tests',
  wantedDns: [],
  wantedGlobals: [],
  categories: { 'website-builder': 'visual-builder', cms: 'cms', ecommerce: 'ecommerce' },
  siteTypes: ['marketing', 'blog', 'local-business'],
  catalogue: [
    {
      kind: 'builder',
      slug: 'webflow',
      name: 'Webflow',
      category: 'website-builder',
      isAiNative: false,
      website: 'https://webflow.com',
      about: 'A visual website builder.',
    },
    { kind: 'site-type', slug: 'blog', name: 'Blog', category: null, isAiNative: false, website: null, about: null },
  ],
  summaries: [],
  readRule: () => undefined,
  labels: {
    categories: { 'website-builder': 'Website builder', cms: 'Content management system', ecommerce: 'Shop system' },
    siteTypes: { marketing: 'Marketing', blog: 'Blog', 'local-business': 'Local business' },
    technologies: { 'Google Fonts': 'Fonts and icons' },
    technologyCategories: { font: 'Fonts and icons' },
    places: { meta: 'A meta tag, by its name, property or itemprop; its content' },
  },
}

/** Builds the result of a scan, with a value for every extra. */
export function sampleScan(url: string, change: Partial<LiveScan['verdict']> = {}): LiveScan {
  return {
    verdict: {
      url,
      builder: 'Webflow',
      builderSlug: 'webflow',
      confidence: 'high',
      category: 'website-builder',
      isAiNative: false,
      technologies: ['Webflow', 'Google Fonts'],
      hosting: null,
      siteType: 'local-business',
      page: { state: 'site', by: null, status: 200 },
      details: SAMPLE_DETAILS.map(({ cpe: _, support: __, ...facts }) => facts),
      versions: { Webflow: '1.2' },
      evidence: [sampleEvidence],
      warnings: ['the page was cut'],
      cost: { textsTested: 1, rulesEvaluated: 1 },
      ...change,
    },
    infrastructure: {
      cdn: null,
      dns: ['dns.example'],
      ip: '203.0.113.7',
      tlsIssuer: 'An Authority',
      tlsError: null,
      server: null,
      network: { asn: 64500, name: 'Harbour Networks' },
      reverseDns: 'web7.dns.example',
    },
    timing: { fetch: 12.5, evidence: 0, bodies: 0, match: 1.5, total: 14 },
    meta: { status: 200, scannedAt: '2026-05-10T12:00:15.000Z', ruleset: SAMPLE_RULES.version, title: 'Harbour Line' },
    details: SAMPLE_DETAILS,
    packages: [{ name: 'jquery', version: '1.12.4', purl: 'pkg:npm/jquery@1.12.4' }],
    isLate: false,
  }
}

const SAMPLE_DETAILS: LiveScan['details'] = [
  {
    slug: 'webflow',
    name: 'Webflow',
    category: { slug: 'website-builder', name: 'Website builder' },
    level: 'high',
    version: '1.2',
    website: 'https://webflow.com',
    impliedBy: null,
    cpe: null,
    support: null,
  },
  {
    slug: 'jquery',
    name: 'jQuery',
    category: { slug: 'javascript-library', name: 'JavaScript libraries' },
    level: 'medium',
    version: '1.12.4',
    website: 'https://jquery.com',
    impliedBy: 'webflow',
    cpe: 'cpe:2.3:a:jquery:jquery:1.12.4:*:*:*:*:*:*:*',
    support: { cycle: '1', state: 'ended', ends: null, latest: '1.12.4', certain: true },
  },
]

const sampleEvidence: LiveScan['verdict']['evidence'][number] = {
  kind: 'builder',
  slug: 'webflow',
  name: 'Webflow',
  level: 'high',
  points: 3,
  clauses: [{ clause: 'meta', places: ['meta'], weight: 'strong', family: 'declared', hits: 1, texts: ['Webflow'] }],
  unseen: ['dns'],
  chosen: true,
}
