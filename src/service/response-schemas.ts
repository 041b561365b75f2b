import { type Static, Type } from '@sinclair/typebox'
import { CATALOGUE_KINDS } from '../detector/catalogue.ts'
import type { RulesetInfo } from '../detector/ruleset-info.ts'
import { API_ERRORS, type ApiErrorCode } from '../errors.ts'
import { CONFIDENCE, EXTRA_SCHEMAS, PARTS_SCHEMA } from '../scan/extra-schemas.ts'
import { extensible, list, orNull, stringOrNull } from '../scan/schema-builders.ts'
import { BATCH_REASONS, BATCH_STATUSES } from '../store/batch-types.ts'

// Responses are open: clients must accept fields and values that later versions add. A schema with an `$id` is a named component
// of the OpenAPI documents.

/** Builds the schema of a scan result in a revision. Its lists of values come from the ruleset. */
export function buildScanResultSchema(rules: Pick<RulesetInfo, 'categories' | 'siteTypes'>, revision: 1 | 2) {
  const fields = buildScanFields(rules, revision)
  return revision === 2
    ? fields
    : Type.Omit(fields, ['isAiNative', 'parts', 'meta', 'page', 'details', 'packages'], { $id: 'ScanResult' })
}

function buildScanFields({ categories, siteTypes }: Pick<RulesetInfo, 'categories' | 'siteTypes'>, revision: 1 | 2) {
  const names = revision === 2 ? Object.keys(categories) : [...new Set(Object.values(categories))]
  const category = extensible(names.sort(), { $id: 'BuilderCategory', description: 'Category of a builder.' })
  const siteType = extensible([...siteTypes].sort(), { $id: 'SiteType', description: 'Purpose of a site.' })
  const { evidence, versions, infrastructure, timing, warnings, meta, page, details, packages } = EXTRA_SCHEMAS
  return Type.Object(
    {
      url: Type.String({ description: 'The final URL after redirects, without fragment.' }),
      builder: stringOrNull({ description: 'Display name of the builder of the site.' }),
      builderSlug: stringOrNull({ description: 'Identifier of the builder.' }),
      confidence: orNull(CONFIDENCE, { description: 'Confidence in the builder; null exactly when builder is null.' }),
      category: orNull(category, { description: 'Category of the builder.' }),
      isAiNative: Type.Boolean({
        description: 'Whether the builder generates sites with an AI model; false without a builder.',
      }),
      technologies: list(Type.String(), {
        uniqueItems: true,
        description: 'Display names, ordered by confidence, then by name; includes the builder and CDNs.',
      }),
      hosting: stringOrNull({ description: "Hosting provider of the site's origin; null if a CDN hides it." }),
      siteType: orNull(siteType, { description: 'Purpose of the site; null if the page gives no indication.' }),
      cached: Type.Boolean({ description: 'Whether the result was already in the cache when the request arrived.' }),
      parts: Type.Optional(PARTS_SCHEMA),
      evidence: Type.Optional(evidence),
      versions: Type.Optional(versions),
      infrastructure: Type.Optional(infrastructure),
      timing: Type.Optional(timing),
      warnings: Type.Optional(warnings),
      meta: Type.Optional(meta),
      page: Type.Optional(page),
      details: Type.Optional(details),
      packages: Type.Optional(packages),
    },
    { $id: 'ScanResult' },
  )
}
/** A scan result in revision 2. */
export type ScanResult = Static<ReturnType<typeof buildScanFields>>

/** The response of `GET /me`. */
export const KEY_INFO = Type.Object(
  {
    name: Type.String({ description: 'Name of the key or account.' }),
    email: Type.String({ description: 'Contact address of the key holder.' }),
    plan: Type.String({ description: 'Plan of the key.' }),
    requests_used: Type.Integer({
      minimum: 0,
      description:
        'Scans charged in this billing month (UTC). A key that replaced another one in its account continues its count.',
    }),
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
export const KEY_USAGE = Type.Object(
  {
    month: Type.String({ description: 'The month (UTC), such as 2026-05.' }),
    requests_used: Type.Integer({ minimum: 0, description: 'Scans charged in the month.' }),
    days: Type.Array(
      Type.Object(
        {
          date: Type.String({ format: 'date', description: 'The day (UTC).' }),
          requests: Type.Integer({ minimum: 0, description: 'Scans charged on the day.' }),
        },
        { $id: 'DayUsage' },
      ),
      { description: 'Every day of the month up to today.' },
    ),
  },
  { $id: 'KeyUsage' },
)
export type KeyUsage = Static<typeof KEY_USAGE>

const catalogueEntry = Type.Object(
  {
    kind: extensible(CATALOGUE_KINDS, { description: 'Kind of the entry.' }),
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
    about: stringOrNull({ description: 'What it is, in one sentence; null if the rules do not say it.' }),
  },
  { $id: 'CatalogueEntry' },
)

/** The response of `GET /catalogue`. */
export const CATALOGUE = Type.Object(
  {
    ruleset: Type.String({ description: 'Version of the rules of the service.' }),
    entries: list(catalogueEntry, { description: 'Ordered by kind, then by slug.' }),
  },
  { $id: 'Catalogue' },
)
export type Catalogue = Static<typeof CATALOGUE>

const time = (description: string) => Type.String({ format: 'date-time', description })
const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })

const webhookAttempt = Type.Object(
  {
    at: time('When it was made.'),
    status: orNull(Type.Integer(), { description: 'Status of the response; null if there was none.' }),
    error: stringOrNull({ description: 'Why there was no response.' }),
  },
  { $id: 'WebhookAttempt' },
)

const batchWebhook = Type.Object(
  {
    url: Type.String({ description: 'Where the message is sent.' }),
    state: extensible(['waiting', 'delivered', 'failed'] as const, { description: 'What became of it.' }),
    attempts: list(webhookAttempt, { description: 'The attempts so far.' }),
    nextAt: timeOrNull('When the next attempt is made; null if there is none, or if the batch has not ended.'),
    secret: Type.Optional(
      Type.String({
        description:
          'Secret for checking the signature, which is the same for all batches of the key. Only when a batch is submitted.',
      }),
    ),
  },
  { $id: 'BatchWebhook' },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** A batch, as its endpoints return it. */
export const BATCH = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the batch.' }),
    status: extensible(BATCH_STATUSES, {
      $id: 'BatchStatus',
      description:
        'waiting: no scan has started. running. paused: the monthly quota is used up; it goes on when the quota is there again. completed: every URL has a result or an error. cancelled.',
    }),
    reason: orNull(extensible(BATCH_REASONS), { description: 'Why the batch is paused or was cancelled.' }),
    total: count('Number of URLs.'),
    counts: Type.Object(
      {
        waiting: count('URLs that are still to be scanned.'),
        succeeded: count('URLs with a result. Each of them is charged once.'),
        failed: count('URLs with an error. They are not charged.'),
        cancelled: count('URLs that were not scanned before the batch was cancelled.'),
      },
      { $id: 'BatchCounts', description: 'Number of URLs by state.' },
    ),
    failures: Type.Record(Type.String(), Type.Integer(), { description: 'Number of failed URLs by error code.' }),
    include: list(Type.String(), { description: 'Extras of each result.' }),
    fresh: Type.Boolean({ description: 'Whether cached results are ignored.' }),
    createdAt: time('When it was submitted.'),
    startedAt: timeOrNull('When its first scan started.'),
    finishedAt: timeOrNull('When it was completed or cancelled.'),
    expiresAt: timeOrNull('When its results are deleted; null until it ends.'),
    perMinute: orNull(Type.Number(), { description: 'URLs per minute since its start; null before.' }),
    secondsLeft: orNull(Type.Integer(), {
      description: 'Estimate of the seconds until it is completed; null if unknown.',
    }),
    webhook: orNull(batchWebhook, { description: 'The message at the end of the batch; null without one.' }),
  },
  { $id: 'Batch' },
)
export type BatchInfo = Static<typeof BATCH>

/** The response of `GET /batches`. */
export const BATCH_LIST = Type.Object(
  {
    batches: list(BATCH, { description: 'Newest first.' }),
    next: stringOrNull({ description: 'Value of before for the next page; null on the last one.' }),
  },
  { $id: 'BatchList' },
)
export type BatchListInfo = Static<typeof BATCH_LIST>

/** Builds the schema of a line of the results of a batch. */
export function buildBatchLineSchema(rules: Pick<RulesetInfo, 'categories' | 'siteTypes'>) {
  return Type.Object(
    {
      position: count('Position of the URL in the list, from 0 on.'),
      url: Type.String({ description: 'The URL as it was submitted.' }),
      result: Type.Optional(buildScanFields(rules, 2)),
      error: Type.Optional(Type.String({ description: 'Why there is no result, for people.' })),
      code: Type.Optional(Type.String({ description: 'Why there is no result: an error code.' })),
    },
    { $id: 'BatchLine', description: 'One line of the results: a result, or an error with its code.' },
  )
}

const errorFields = Type.Object(
  {
    error: Type.String({ description: 'A message for people. It may change; the code does not.' }),
    code: extensible(Object.keys(API_ERRORS) as ApiErrorCode[], { $id: 'ErrorCode', description: 'A stable code.' }),
    retryable: Type.Boolean({
      description: 'Whether the same request may succeed later: after Retry-After, where the response has it.',
    }),
    requestId: Type.String({ description: 'The value of the header X-Request-Id.' }),
  },
  { $id: 'Error', description: 'The body of every error response.' },
)

/** Builds the schema of the body of every error response in a revision. */
export function buildErrorSchema(revision: 1 | 2) {
  return revision === 2 ? errorFields : Type.Omit(errorFields, ['retryable'], { $id: 'Error' })
}

/** The body of an error response. `retryable` is absent in revision 1. */
export type ErrorBody = Omit<Static<typeof errorFields>, 'retryable'> & { readonly retryable?: boolean }
