import { type Static, Type } from '@sinclair/typebox'
import { API_ERRORS, type ApiErrorCode } from '../../errors.ts'
import { CATALOGUE_KINDS } from '../../scan/catalogue.ts'
import { closedObject, EXTRA_SCHEMAS, LEVELS, list, oneOf, stringOrNull } from '../../scan/extra-schemas.ts'
import { LIVE_EXTRAS } from '../../scan/extras.ts'
import type { RulesetInfo } from '../../scan/match-worker.ts'

const url = Type.String({
  description:
    'The URL to scan: absolute, http or https, at most 2048 characters, a public host, port 80, 443 or none, no credentials.',
  examples: ['https://example.org'],
})

/** A comma-separated list such as `evidence,versions`. Repeated names are accepted. */
const extraList = Type.String({ pattern: `^(?:${LIVE_EXTRAS.join('|')})(?:,(?:${LIVE_EXTRAS.join('|')}))*$` })

const INCLUDE = `What to add after the ten fields: ${LIVE_EXTRAS.join(', ')}. A comma-separated list or an array.`
const FRESH = 'Scan again even if the cache has a result, and replace the cached result.'

const include = (options: object = {}) =>
  Type.Optional(Type.Union([extraList, Type.Array(extraList)], { description: INCLUDE, ...options }))

/** Parameters that the query of both `GET` and `POST /scan` accepts. */
const queryOptions = {
  include: include({ examples: ['evidence,timing'] }),
  fresh: Type.Optional(oneOf(['true', 'false'] as const, { description: FRESH })),
}

/** The query of `GET /scan`. */
export const SCAN_QUERY = closedObject({ url, ...queryOptions })

/** The query of `POST /scan`, whose URL is in the body. */
export const POST_QUERY = closedObject(queryOptions)

/** The body of `POST /scan`. */
export const SCAN_BODY = closedObject(
  { url, include: include(), fresh: Type.Optional(Type.Boolean({ description: FRESH })) },
  { examples: [{ url: 'https://example.org' }] },
)

/** The query of an endpoint without parameters. */
export const NO_QUERY = closedObject({})

/** The query of `GET /usage`. */
export const USAGE_QUERY = closedObject({
  month: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])$',
      description: 'A month (UTC) that is not in the future; the current one by default.',
      examples: ['2026-05'],
    }),
  ),
})

/** The query of `GET /catalogue`. */
export const CATALOGUE_QUERY = closedObject({
  kind: Type.Optional(oneOf(CATALOGUE_KINDS, { description: 'Only the entries of this kind.' })),
})

/** The request headers that `GET /catalogue` reads. */
export const CATALOGUE_HEADERS = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The ETag of a stored response. If it is still valid, the response is 304.' }),
  ),
})

/** Builds the schema of a scan result. Its closed lists come from the ruleset. */
export function buildScanResultSchema({ categories, siteTypes }: Pick<RulesetInfo, 'categories' | 'siteTypes'>) {
  const names = [...new Set(Object.entries(categories).flat())].sort()
  const { evidence, versions, infrastructure, timing, warnings } = EXTRA_SCHEMAS
  return closedObject(
    {
      url: Type.String({ description: 'The final URL after redirects, without fragment.' }),
      builder: stringOrNull({ description: 'Display name of the builder of the site.' }),
      builderSlug: stringOrNull({ description: 'Identifier of the builder.' }),
      confidence: oneOf(LEVELS, { description: 'Confidence in the builder; null exactly when builder is null.' }),
      category: oneOf<string | null>([...names, null], { description: 'Category of the builder.' }),
      isAiNative: Type.Optional(
        Type.Boolean({ description: 'Whether the builder generates sites with an AI model; false without a builder.' }),
      ),
      technologies: list(Type.String(), {
        uniqueItems: true,
        description: 'Display names, ordered by confidence, then by name; includes the builder and CDNs.',
      }),
      hosting: stringOrNull({ description: "Hosting provider of the site's origin; null if a CDN hides it." }),
      siteType: oneOf<string | null>([...[...siteTypes].sort(), null], {
        description: 'Purpose of the site; null if the page gives no indication.',
      }),
      cached: Type.Boolean({ description: 'Whether the result was already in the cache when the request arrived.' }),
      evidence: Type.Optional(evidence),
      versions: Type.Optional(versions),
      infrastructure: Type.Optional(infrastructure),
      timing: Type.Optional(timing),
      warnings: Type.Optional(warnings),
    },
    {
      $id: 'ScanResult',
      description:
        'Revision 1 has no isAiNative, and its category visual-builder is called website-builder in revision 2. The last five fields are present only if include names them.',
      examples: [EXAMPLE_RESULT],
    },
  )
}
export type ScanResult = Static<ReturnType<typeof buildScanResultSchema>>

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
}

/** The response of `GET /me`. */
export const KEY_INFO = closedObject(
  {
    name: Type.String({ description: 'Name of the key or account.' }),
    email: Type.String({ description: 'Contact address of the key holder.' }),
    plan: Type.String({ description: 'Plan of the key.', examples: ['free'] }),
    requests_used: Type.Integer({ minimum: 0, description: 'Scans charged in this billing month (UTC).' }),
    requests_limit: Type.Integer({ minimum: 0, description: 'Scans per month in this plan.' }),
    requests_remaining: Type.Integer({ minimum: 0, description: 'Scans left this month; never below 0.' }),
    resets_on: Type.String({ format: 'date', description: 'The 1st of next month.' }),
    last_used_at: Type.String({
      format: 'date-time',
      description: 'Time of the last charged scan or /me request, including this one.',
    }),
    created_at: Type.String({ format: 'date-time', description: 'When the key was created.' }),
  },
  { $id: 'KeyInfo' },
)
export type KeyInfo = Static<typeof KEY_INFO>

/** The response of `GET /usage`. */
export const KEY_USAGE = closedObject(
  {
    month: Type.String({ description: 'The month (UTC).', examples: ['2026-05'] }),
    requests_used: Type.Integer({ minimum: 0, description: 'Scans charged in the month.' }),
    days: Type.Array(
      closedObject({
        date: Type.String({ format: 'date', description: 'The day (UTC).' }),
        requests: Type.Integer({ minimum: 0, description: 'Scans charged on the day.' }),
      }),
      { description: 'Every day of the month up to today.' },
    ),
  },
  { $id: 'KeyUsage' },
)
export type KeyUsage = Static<typeof KEY_USAGE>

/** The response of `GET /catalogue`. */
export const CATALOGUE = closedObject(
  {
    ruleset: Type.String({ description: 'Version of the rules of the service.' }),
    entries: list(
      closedObject({
        kind: oneOf(CATALOGUE_KINDS),
        slug: Type.String({
          description: 'Identifier, unique within its kind: builderSlug of a builder, siteType of a site type.',
        }),
        name: Type.String({ description: 'Display name: builder, hosting or one of technologies of a scan.' }),
        category: stringOrNull({
          description:
            'Category of a builder or technology; cdn for a CDN, which scans list under technologies; null for other hosting and for site types.',
        }),
        isAiNative: Type.Boolean({ description: 'Whether it is a builder that generates sites with an AI model.' }),
        website: stringOrNull({ description: 'Website of the vendor.' }),
      }),
      { description: 'Ordered by kind, then by slug.' },
    ),
  },
  { $id: 'Catalogue' },
)
export type Catalogue = Static<typeof CATALOGUE>

/** The body of every error response. */
export const ERROR_BODY = closedObject(
  {
    error: Type.String({ description: 'A message for people. It may change; the code does not.' }),
    code: oneOf(Object.keys(API_ERRORS) as ApiErrorCode[]),
    requestId: Type.String({ description: 'The value of the header X-Request-Id.' }),
  },
  {
    $id: 'Error',
    examples: [
      { error: API_ERRORS.unauthorized[1], code: 'unauthorized', requestId: '3f0c7f5e-6c0b-4b7e-9d55-0a1b2c3d4e5f' },
    ],
  },
)
export type ErrorBody = Static<typeof ERROR_BODY>
