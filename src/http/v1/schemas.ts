import { API_ERRORS } from '../../errors.ts'
import type { RulesetInfo } from '../../scan/match-worker.ts'
import { LIVE_EXTRAS } from '../../scan/scanner.ts'
import { EXTRA_SCHEMAS } from './extra-schemas.ts'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

const url = {
  ...text,
  description:
    'The URL to scan: absolute, http or https, at most 2048 characters, a public host, port 80, 443 or none, no credentials.',
  examples: ['https://example.org'],
} as const

/** `evidence,versions`: none twice is asked for by nobody, and nobody minds. */
const extraList = { ...text, pattern: `^(?:${LIVE_EXTRAS.join('|')})(?:,(?:${LIVE_EXTRAS.join('|')}))*$` } as const

const include = {
  description: `What to add after the ten fields: ${LIVE_EXTRAS.join(', ')}. A list with commas, or an array.`,
  anyOf: [extraList, { type: 'array', items: extraList }],
} as const

const fresh = { description: 'Scan again, whatever the cache holds, and keep the new result.' } as const

/** What a query may ask for besides the URL. */
const queryOptions = {
  include: { ...include, examples: ['evidence,timing'] },
  fresh: { ...fresh, enum: ['true', 'false'] },
} as const

/** Of `GET /scan`. */
export const SCAN_QUERY = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: { url, ...queryOptions },
} as const

/** Of `POST /scan`: the URL stands in the body. */
export const POST_QUERY = { type: 'object', additionalProperties: false, properties: queryOptions } as const

/** Of `POST /scan`. */
export const SCAN_BODY = {
  type: 'object',
  required: ['url'],
  additionalProperties: false,
  properties: {
    url,
    include,
    fresh: { ...fresh, type: 'boolean' },
  },
  examples: [{ url: 'https://example.org' }],
} as const

/** What takes no parameters. */
export const NO_QUERY = { type: 'object', additionalProperties: false, properties: {} } as const

/** The answer of a scan; its closed lists come from the rules. */
export function scanResultSchema({ categories, siteTypes }: RulesetInfo): Record<string, unknown> {
  const names = [...new Set(Object.entries(categories).flat())].sort()
  return {
    $id: 'ScanResult',
    type: 'object',
    description:
      'Revision 1 has no isAiNative, and calls the category website-builder visual-builder. The last five fields stand there only when include names them.',
    required: [
      'url',
      'builder',
      'builderSlug',
      'confidence',
      'category',
      'technologies',
      'hosting',
      'siteType',
      'cached',
    ],
    additionalProperties: false,
    properties: {
      url: { ...text, description: 'The final URL after redirects, without fragment.' },
      builder: { ...textOrNull, description: 'What the site was made with.' },
      builderSlug: { ...textOrNull, description: 'Its identifier.' },
      confidence: {
        enum: ['high', 'medium', 'low', null],
        description: 'How sure the builder is; null exactly when it is null.',
      },
      category: { enum: [...names, null], description: 'What kind of builder it is.' },
      isAiNative: {
        type: 'boolean',
        description: 'Whether the builder has a model make the site; false without a builder.',
      },
      technologies: {
        type: 'array',
        items: text,
        uniqueItems: true,
        description: 'Names, surest first, then by name; builder and CDN among them.',
      },
      hosting: { ...textOrNull, description: "Where the site's origin runs; null where a CDN hides it." },
      siteType: {
        enum: [...siteTypes].sort().concat(null as never),
        description: 'What the site is for; null when the page gives no ground.',
      },
      cached: { type: 'boolean', description: 'Whether the result stood in the cache when the request came.' },
      ...EXTRA_SCHEMAS,
    },
    examples: [EXAMPLE_RESULT],
  }
}

const EXAMPLE_RESULT = {
  url: 'https://harbourline.example/',
  builder: 'Webflow',
  builderSlug: 'webflow',
  confidence: 'high',
  category: 'website-builder',
  isAiNative: false,
  technologies: ['Webflow', 'Google Fonts'],
  hosting: 'Webflow',
  siteType: 'local-business',
  cached: false,
} as const

/** The answer of `/me`. */
export const KEY_INFO = {
  $id: 'KeyInfo',
  type: 'object',
  required: [
    'name',
    'email',
    'plan',
    'requests_used',
    'requests_limit',
    'requests_remaining',
    'resets_on',
    'last_used_at',
    'created_at',
  ],
  additionalProperties: false,
  properties: {
    name: { ...text, description: 'Name of the key or account.' },
    email: { ...text, description: 'Contact address held for the key.' },
    plan: { ...text, description: 'Plan of the key.', examples: ['free'] },
    requests_used: { type: 'integer', minimum: 0, description: 'Scans charged in this billing month (UTC).' },
    requests_limit: { type: 'integer', minimum: 0, description: "The plan's scans a month." },
    requests_remaining: { type: 'integer', minimum: 0, description: 'What is left of them; never below 0.' },
    resets_on: { ...text, format: 'date', description: 'The 1st of next month.' },
    last_used_at: { ...text, format: 'date-time', description: 'The last charged scan or /me, this one included.' },
    created_at: { ...text, format: 'date-time', description: 'When the key was made.' },
  },
} as const

/** Every error. */
export const ERROR_BODY = {
  $id: 'Error',
  type: 'object',
  required: ['error', 'code', 'requestId'],
  additionalProperties: false,
  properties: {
    error: { ...text, description: 'A sentence for people. It may change; the code does not.' },
    code: { enum: Object.keys(API_ERRORS) },
    requestId: { ...text, description: 'As in the header X-Request-Id.' },
  },
  examples: [
    { error: API_ERRORS.unauthorized[1], code: 'unauthorized', requestId: '3f0c7f5e-6c0b-4b7e-9d55-0a1b2c3d4e5f' },
  ],
} as const
