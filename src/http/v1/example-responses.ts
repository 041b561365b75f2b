import type { CacheEntry } from '../../coordination/types.ts'
import type { Extras } from '../../scan/extra-schemas.ts'
import type {
  BatchInfo,
  BatchListInfo,
  Catalogue,
  KeyInfo,
  KeyUsage,
  ScanResult,
} from '../../service/response-schemas.ts'
import { formatExtras } from '../../service/stored-extras.ts'
import type { ResponseName } from './operation.ts'

/** The id of the request in every example of an error. */
export const EXAMPLE_REQUEST_ID = 'a9b920a5-e1ad-4853-8683-3eaa4515f3b7'

type ExampleFields = Omit<ScanResult, 'cached' | keyof Extras>

const FIELDS: ExampleFields = {
  url: 'https://harbourline.example/',
  builder: 'Webflow',
  builderSlug: 'webflow',
  confidence: 'high',
  category: 'website-builder',
  isAiNative: false,
  technologies: ['Webflow', 'Google Fonts', 'jQuery'],
  hosting: 'Webflow',
  siteType: 'local-business',
}

const EXTRAS: Extras = {
  evidence: [
    {
      kind: 'builder',
      slug: 'webflow',
      name: 'Webflow',
      level: 'high',
      points: 6,
      clauses: [
        {
          clause: 'meta: generator, is: Webflow',
          places: ['meta'],
          weight: 'strong',
          family: 'declared',
          hits: 1,
          texts: ['Webflow'],
        },
      ],
      unseen: [],
      chosen: true,
    },
  ],
  versions: { jQuery: '3.5.1' },
  infrastructure: {
    cdn: null,
    dns: ['example.net'],
    ip: '192.0.2.10',
    tlsIssuer: "Let's Encrypt",
    tlsError: null,
    server: null,
    network: { asn: 64496, name: 'Example Hosting GmbH' },
    reverseDns: 'web7.example.net',
  },
  timing: { fetch: 181.4, evidence: 62.9, bodies: 88.1, match: 6.3, total: 276.2 },
  warnings: ['not looked at: favicon'],
  meta: {
    status: 200,
    scannedAt: '2026-05-10T12:00:14.276Z',
    ruleset: '8639a09578745e7d',
    title: 'Harbour Line: boats and bicycles',
  },
  page: { state: 'site', by: null, status: 200 },
  details: [
    {
      slug: 'webflow',
      name: 'Webflow',
      category: { slug: 'website-builder', name: 'Website builder' },
      level: 'high',
      version: null,
      website: 'https://webflow.com',
      impliedBy: null,
      cpe: null,
      support: null,
    },
    {
      slug: 'google-fonts',
      name: 'Google Fonts',
      category: { slug: 'font', name: 'Fonts and icons' },
      level: 'high',
      version: null,
      website: 'https://fonts.google.com',
      impliedBy: null,
      cpe: null,
      support: null,
    },
    {
      slug: 'jquery',
      name: 'jQuery',
      category: { slug: 'javascript-library', name: 'JavaScript libraries' },
      level: 'high',
      version: '3.5.1',
      website: 'https://jquery.com',
      impliedBy: null,
      cpe: 'cpe:2.3:a:jquery:jquery:3.5.1:*:*:*:*:*:*:*',
      support: { cycle: '3', state: 'supported', ends: null, latest: '3.7.1', certain: true },
    },
  ],
  packages: [{ name: 'jquery', version: '3.5.1', purl: 'pkg:npm/jquery@3.5.1' }],
}

/** The scan of the examples, as it is cached. */
export const EXAMPLE_ENTRY: CacheEntry = {
  at: Date.parse(EXTRAS.meta.scannedAt),
  result: JSON.stringify(FIELDS),
  extras: formatExtras(EXTRAS),
}

const KEY_INFO: KeyInfo = {
  name: 'Harbour Line',
  email: 'dev@harbourline.example',
  plan: 'free',
  requests_used: 3,
  requests_limit: 100,
  requests_remaining: 97,
  resets_on: '2026-06-01',
  last_used_at: '2026-05-03T12:00:15.000Z',
  created_at: '2026-05-01T09:30:00.000Z',
}

const KEY_USAGE: KeyUsage = {
  month: '2026-05',
  requests_used: 3,
  days: [
    { date: '2026-05-01', requests: 2 },
    { date: '2026-05-02', requests: 0 },
    { date: '2026-05-03', requests: 1 },
  ],
}

const CATALOGUE: Catalogue = {
  ruleset: '8639a09578745e7d',
  entries: [
    {
      kind: 'builder',
      slug: 'webflow',
      name: 'Webflow',
      category: 'website-builder',
      isAiNative: false,
      website: 'https://webflow.com',
      about: 'A visual website builder with a content management system and hosting.',
    },
    {
      kind: 'hosting',
      slug: 'cloudflare',
      name: 'Cloudflare',
      category: 'cdn',
      isAiNative: false,
      website: 'https://www.cloudflare.com',
      about: null,
    },
    { kind: 'site-type', slug: 'blog', name: 'Blog', category: null, isAiNative: false, website: null, about: null },
  ],
}

const BATCH: BatchInfo = {
  id: 'Kc3vY0pQxW7nB2mZ4tLa',
  status: 'running',
  reason: null,
  total: 3,
  counts: { waiting: 1, succeeded: 1, failed: 1, cancelled: 0 },
  failures: { scan_failed: 1 },
  include: [],
  fresh: false,
  createdAt: '2026-05-10T12:00:00.000Z',
  startedAt: '2026-05-10T12:00:00.100Z',
  finishedAt: null,
  expiresAt: null,
  perMinute: 60,
  secondsLeft: 1,
  webhook: { url: 'https://shop.example/hooks/siteprint', state: 'waiting', attempts: [], nextAt: null },
}

const BATCH_LIST: BatchListInfo = { batches: [BATCH], next: null }

const BATCH_LINE = { position: 0, url: 'harbourline.example', result: { ...FIELDS, cached: false } }

/** Examples of 200 responses that are the same in every revision. */
export const EXAMPLE_RESPONSES: Readonly<Record<Exclude<ResponseName, 'ScanResult'>, object>> = {
  KeyInfo: KEY_INFO,
  KeyUsage: KEY_USAGE,
  Catalogue: CATALOGUE,
  Batch: BATCH,
  BatchList: BATCH_LIST,
  BatchLine: BATCH_LINE,
}
