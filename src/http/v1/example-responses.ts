import type { CacheEntry } from '../../coordination/types.ts'
import type { Extras } from '../../scan/extra-schemas.ts'
import type { Catalogue, KeyInfo, KeyUsage, ScanResult } from '../../service/response-schemas.ts'
import type { ResponseName } from './operation.ts'

/** The id of the request in every example of an error. */
export const EXAMPLE_REQUEST_ID = 'a9b920a5-e1ad-4853-8683-3eaa4515f3b7'

type Fields = Omit<ScanResult, 'cached' | keyof Extras>

const FIELDS: Fields = {
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
}

/** The scan of the examples, as it is cached. */
export const EXAMPLE_ENTRY: CacheEntry = {
  at: Date.parse(EXTRAS.meta.scannedAt),
  result: JSON.stringify(FIELDS),
  extras: JSON.stringify(EXTRAS),
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

/** Examples of 200 responses that are the same in every revision. */
export const EXAMPLE_RESPONSES: Readonly<Record<Exclude<ResponseName, 'ScanResult'>, object>> = {
  KeyInfo: KEY_INFO,
  KeyUsage: KEY_USAGE,
  Catalogue: CATALOGUE,
}
