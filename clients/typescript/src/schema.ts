// Generated from clients/openapi.json by "tools/run docs --write". Do not edit.

/**
 * waiting: no scan has started. running. paused: the monthly quota is used up; it goes on when the quota is there again. completed: every URL has a result or an error. cancelled.
 */
export type BatchStatus = 'waiting' | 'running' | 'paused' | 'completed' | 'cancelled' | (string & {})
export type Confidence = 'high' | 'medium' | 'low'
/**
 * Category of a builder.
 */
export type BuilderCategory =
  | 'ai-builder'
  | 'app-builder'
  | 'blog'
  | 'cms'
  | 'community'
  | 'course'
  | 'documentation'
  | 'ecommerce'
  | 'landing-page'
  | 'static-site'
  | 'website-builder'
  | 'wiki'
  | (string & {})
/**
 * Purpose of a site.
 */
export type SiteType =
  | 'app'
  | 'blog'
  | 'course'
  | 'directory'
  | 'docs'
  | 'ecommerce'
  | 'education'
  | 'event'
  | 'forum'
  | 'government'
  | 'landing'
  | 'link-in-bio'
  | 'local-business'
  | 'marketing'
  | 'news'
  | 'nonprofit'
  | 'parked'
  | 'portfolio'
  | 'reference'
  | 'saas'
  | 'wiki'
  | (string & {})
export type Extra =
  'evidence' | 'versions' | 'infrastructure' | 'timing' | 'warnings' | 'meta' | 'page' | 'details' | 'packages'
/**
 * A stable code.
 */
export type ErrorCode =
  | 'invalid_url'
  | 'invalid_request'
  | 'blocked_target'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'idempotency_conflict'
  | 'misdirected_request'
  | 'rate_limited'
  | 'quota_exceeded'
  | 'scan_failed'
  | 'scan_timeout'
  | 'internal'
  | 'maintenance'
  | 'unavailable'
  | (string & {})

export interface Batch {
  /**
   * Identifier of the batch.
   */
  id: string
  status: BatchStatus
  /**
   * Why the batch is paused or was cancelled.
   */
  reason: 'quota_exceeded' | 'client' | 'key_revoked' | 'expired' | (string & {}) | null
  /**
   * Number of URLs.
   */
  total: number
  counts: BatchCounts
  /**
   * Number of failed URLs by error code.
   */
  failures: {
    /**
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^(.*)$".
     */
    [k: string]: number
  }
  /**
   * Extras of each result.
   */
  include: string[]
  /**
   * Whether cached results are ignored.
   */
  fresh: boolean
  /**
   * When it was submitted.
   */
  createdAt: string
  /**
   * When its first scan started.
   */
  startedAt: string | null
  /**
   * When it was completed or cancelled.
   */
  finishedAt: string | null
  /**
   * When its results are deleted; null until it ends.
   */
  expiresAt: string | null
  /**
   * URLs per minute since its start; null before.
   */
  perMinute: number | null
  /**
   * Estimate of the seconds until it is completed; null if unknown.
   */
  secondsLeft: number | null
  /**
   * The message at the end of the batch; null without one.
   */
  webhook: BatchWebhook | null
  [k: string]: unknown
}
/**
 * Number of URLs by state.
 */
export interface BatchCounts {
  /**
   * URLs that are still to be scanned.
   */
  waiting: number
  /**
   * URLs with a result. Each of them is charged once.
   */
  succeeded: number
  /**
   * URLs with an error. They are not charged.
   */
  failed: number
  /**
   * URLs that were not scanned before the batch was cancelled.
   */
  cancelled: number
  [k: string]: unknown
}
export interface BatchWebhook {
  /**
   * Where the message is sent.
   */
  url: string
  /**
   * What became of it.
   */
  state: 'waiting' | 'delivered' | 'failed' | (string & {})
  /**
   * The attempts so far.
   */
  attempts: WebhookAttempt[]
  /**
   * When the next attempt is made; null if there is none, or if the batch has not ended.
   */
  nextAt: string | null
  /**
   * Secret for checking the signature, which is the same for all batches of the key. Only when a batch is submitted.
   */
  secret?: string
  [k: string]: unknown
}
export interface WebhookAttempt {
  /**
   * When it was made.
   */
  at: string
  /**
   * Status of the response; null if there was none.
   */
  status: number | null
  /**
   * Why there was no response.
   */
  error: string | null
  [k: string]: unknown
}
/**
 * One line of the results: a result, or an error with its code.
 */
export interface BatchLine {
  /**
   * Position of the URL in the list, from 0 on.
   */
  position: number
  /**
   * The URL as it was submitted.
   */
  url: string
  result?: ScanResult
  /**
   * Why there is no result, for people.
   */
  error?: string
  /**
   * Why there is no result: an error code.
   */
  code?: string
  [k: string]: unknown
}
export interface ScanResult {
  /**
   * The final URL after redirects, without fragment.
   */
  url: string
  /**
   * Display name of the builder of the site.
   */
  builder: string | null
  /**
   * Identifier of the builder.
   */
  builderSlug: string | null
  /**
   * Confidence in the builder; null exactly when builder is null.
   */
  confidence: Confidence | null
  /**
   * Category of the builder.
   */
  category: BuilderCategory | null
  /**
   * Whether the builder generates sites with an AI model; false without a builder.
   */
  isAiNative: boolean
  /**
   * Display names, ordered by confidence, then by name; includes the builder and CDNs.
   */
  technologies: string[]
  /**
   * Hosting provider of the site's origin; null if a CDN hides it.
   */
  hosting: string | null
  /**
   * Purpose of the site; null if the page gives no indication.
   */
  siteType: SiteType | null
  /**
   * Whether the result was already in the cache when the request arrived.
   */
  cached: boolean
  /**
   * With pages of 2 or more: the pages that were read, the first one first. Each is charged as one scan. The other fields of the result unite their technologies.
   */
  parts?: Part[]
  /**
   * With include=evidence: every rule that scored points, and why.
   */
  evidence?: Evidence[]
  /**
   * With include=versions: name → version.
   */
  versions?: {
    [k: string]: string
  }
  infrastructure?: Infrastructure
  timing?: Timing
  /**
   * With include=warnings: what was cut off, and which places were not looked at.
   */
  warnings?: string[]
  meta?: Meta
  page?: PageAnswer
  /**
   * With include=details: the technologies, in the same order, with what is known about each.
   */
  details?: TechnologyDetail[]
  /**
   * With include=packages: the npm packages that the page loads by name, ordered by name and version.
   */
  packages?: Package[]
  [k: string]: unknown
}
/**
 * A page of the site that was read.
 */
export interface Part {
  /**
   * The final URL of the page.
   */
  url: string
  /**
   * Display name of the builder of the page.
   */
  builder: string | null
  /**
   * Identifier of the builder.
   */
  builderSlug: string | null
  /**
   * Confidence in the builder; null exactly when builder is null.
   */
  confidence: Confidence | null
  /**
   * Purpose of the page; null if it gives no indication.
   */
  siteType: string | null
  /**
   * Display names of the technologies of the page.
   */
  technologies: string[]
  [k: string]: unknown
}
/**
 * A rule that scored points, and why.
 */
export interface Evidence {
  /**
   * Kind of the rule.
   */
  kind: 'builder' | 'technology' | 'hosting' | 'site-type' | 'response' | (string & {})
  slug: string
  name: string
  level: Confidence | null
  /**
   * 0 to 6; for a site type, its score in tenths of log-odds.
   */
  points: number
  /**
   * The clauses that matched.
   */
  clauses: Clause[]
  /**
   * Places that the rule looks at and that the scan did not see.
   */
  unseen: string[]
  /**
   * Whether the rule is part of the result.
   */
  chosen: boolean
  /**
   * Why the rule is not part of the result, or what raised its level.
   */
  note?: string
  [k: string]: unknown
}
/**
 * A clause of a rule that matched.
 */
export interface Clause {
  /**
   * The clause as written in the rule.
   */
  clause: string
  /**
   * The places it looks at.
   */
  places: string[]
  /**
   * Weight of the clause.
   */
  weight?: 'strong' | 'medium' | 'weak' | (string & {})
  /**
   * Site types: tenths of log-odds that the clause gives the type.
   */
  points?: number
  /**
   * Clauses of one family are not independent evidence of each other.
   */
  family: string
  hits: number
  /**
   * The texts that matched, each cut to 200 characters.
   */
  texts: string[]
  /**
   * Tag containers that add such texts to the page: `Google Tag Manager GTM-0A1B2C`.
   */
  through?: string[]
  [k: string]: unknown
}
/**
 * With include=infrastructure: where the site runs, as seen from its connection.
 */
export interface Infrastructure {
  /**
   * Display name of the CDN.
   */
  cdn: string | null
  /**
   * Registrable domains of the name servers.
   */
  dns: string[]
  /**
   * The address that served the page.
   */
  ip: string | null
  /**
   * Organisation that issued the certificate; null if the certificate is invalid.
   */
  tlsIssuer: string | null
  /**
   * Why the certificate of the site is invalid. The site was read all the same; null otherwise.
   */
  tlsError:
    | 'expired'
    | 'not_yet_valid'
    | 'wrong_name'
    | 'self_signed'
    | 'incomplete_chain'
    | 'unknown_issuer'
    | 'invalid'
    | (string & {})
    | null
  /**
   * The header Server.
   */
  server: string | null
  network: Network | null
  /**
   * The name of the address, if the name has this address.
   */
  reverseDns: string | null
  [k: string]: unknown
}
/**
 * A network with one operator.
 */
export interface Network {
  /**
   * Number of the autonomous system.
   */
  asn: number
  /**
   * Its operator, as it is registered.
   */
  name: string
  [k: string]: unknown
}
/**
 * With include=timing: milliseconds of each stage of the scan.
 */
export interface Timing {
  /**
   * From the start until the page was received.
   */
  fetch: number
  /**
   * From then until the side evidence was complete.
   */
  evidence: number
  /**
   * From the same moment until the scripts and style sheets were complete.
   */
  bodies: number
  /**
   * Parsing and matching, including the wait for a worker.
   */
  match: number
  total: number
  [k: string]: unknown
}
/**
 * With include=meta: about the scan and the page.
 */
export interface Meta {
  /**
   * Status of the final response of the site.
   */
  status: number
  /**
   * When the scan ended (UTC, with milliseconds).
   */
  scannedAt: string
  /**
   * Version of the rules that the result is based on.
   */
  ruleset: string
  /**
   * Title of the page on one line, cut to 500 characters; null if it has none.
   */
  title: string | null
  [k: string]: unknown
}
/**
 * With include=page, and unasked if the state is not site: what came back.
 */
export interface PageAnswer {
  /**
   * What came back: the site, a check of visitors or a refusal (wall), a login before everything, no site or page at this address (missing), an error of a server, maintenance, a suspended account, the page of a server without a site (default-page), a domain for sale (parked), or a page that shows nothing (empty).
   */
  state:
    | 'site'
    | 'wall'
    | 'login'
    | 'missing'
    | 'error'
    | 'maintenance'
    | 'suspended'
    | 'default-page'
    | 'parked'
    | 'empty'
    | (string & {})
  /**
   * Display name of the product or provider whose page came back instead of the site.
   */
  by: string | null
  status: number | null
  [k: string]: unknown
}
/**
 * What is known about a technology of the result.
 */
export interface TechnologyDetail {
  slug: string
  /**
   * Display name, as in technologies.
   */
  name: string
  category: TechnologyCategory
  level: Confidence
  /**
   * The version that the page shows.
   */
  version: string | null
  /**
   * Website of the vendor.
   */
  website: string | null
  /**
   * Slug of the entry that implies this one, if that gave it its level; null if the page shows it.
   */
  impliedBy: string | null
  /**
   * Complete CPE 2.3 name, with the version if it is known exactly.
   */
  cpe: string | null
  support: Support | null
  [k: string]: unknown
}
/**
 * Category of a technology.
 */
export interface TechnologyCategory {
  slug: string
  name: string
  [k: string]: unknown
}
/**
 * Whether the project of a technology still supports the version.
 */
export interface Support {
  /**
   * The release cycle; null if the version does not tell one.
   */
  cycle: string | null
  /**
   * On the day of the scan: supported, security-only (only security fixes), ended, or unknown (the version may belong to cycles of different states, or to none that is known).
   */
  state: 'supported' | 'security-only' | 'ended' | 'unknown' | (string & {})
  /**
   * The last day with security fixes; null if none is set or known.
   */
  ends: string | null
  /**
   * The latest version of the cycle that the data has.
   */
  latest: string | null
  /**
   * False if the page names a distribution that may patch this version for longer.
   */
  certain: boolean
  [k: string]: unknown
}
/**
 * A package of npm that the page loads by its name.
 */
export interface Package {
  /**
   * Name in the npm registry.
   */
  name: string
  /**
   * The version that the page states.
   */
  version: string | null
  /**
   * Package URL, with the version if it is a whole one.
   */
  purl: string
  [k: string]: unknown
}
export interface BatchList {
  /**
   * Newest first.
   */
  batches: Batch[]
  /**
   * Value of before for the next page; null on the last one.
   */
  next: string | null
  [k: string]: unknown
}
/**
 * What to scan.
 */
export interface BatchRequest {
  /**
   * The URLs, at most as many as the plan of the key allows. Domains without a scheme are possible.
   */
  urls: string[]
  /**
   * What to add after the standard fields.
   */
  include?: Extra[]
  /**
   * Scan again even if the cache has a result, and replace the cached result.
   */
  fresh?: boolean
  /**
   * https URL to which a message signed by the Standard Webhooks specification is sent when the batch ends.
   */
  webhook?: string
}
export interface Catalogue {
  /**
   * Version of the rules of the service.
   */
  ruleset: string
  /**
   * Ordered by kind, then by slug.
   */
  entries: CatalogueEntry[]
  [k: string]: unknown
}
export interface CatalogueEntry {
  /**
   * Kind of the entry.
   */
  kind: 'builder' | 'hosting' | 'site-type' | 'technology' | (string & {})
  /**
   * Identifier, unique within its kind: builderSlug of a builder, siteType of a site type.
   */
  slug: string
  /**
   * Display name: builder, hosting or one of technologies of a scan.
   */
  name: string
  /**
   * Category of a builder or technology; cdn for a CDN, which scans list under technologies; null for other hosting and for site types.
   */
  category: string | null
  /**
   * Whether it is a builder that generates sites with an AI model.
   */
  isAiNative: boolean
  /**
   * Website of the vendor.
   */
  website: string | null
  /**
   * What it is, in one sentence; null if the rules do not say it.
   */
  about: string | null
  [k: string]: unknown
}
export interface DayUsage {
  /**
   * The day (UTC).
   */
  date: string
  /**
   * Scans charged on the day.
   */
  requests: number
  [k: string]: unknown
}
/**
 * The body of every error response.
 */
export interface Error {
  /**
   * A message for people. It may change; the code does not.
   */
  error: string
  code: ErrorCode
  /**
   * Whether the same request may succeed later: after Retry-After, where the response has it.
   */
  retryable: boolean
  /**
   * The value of the header X-Request-Id.
   */
  requestId: string
  [k: string]: unknown
}
export interface KeyInfo {
  /**
   * Name of the key or account.
   */
  name: string
  /**
   * Contact address of the key holder.
   */
  email: string
  /**
   * Plan of the key.
   */
  plan: string
  /**
   * Scans charged in this billing month (UTC). A key that replaced another one in its account continues its count.
   */
  requests_used: number
  /**
   * Scans per month in this plan.
   */
  requests_limit: number
  /**
   * Scans left this month; never below 0.
   */
  requests_remaining: number
  /**
   * The 1st of next month.
   */
  resets_on: string
  /**
   * Time of the last charged scan or /me request, including this one.
   */
  last_used_at: string
  /**
   * When the key was created.
   */
  created_at: string
  [k: string]: unknown
}
export interface KeyUsage {
  /**
   * The month (UTC), such as 2026-05.
   */
  month: string
  /**
   * Scans charged in the month.
   */
  requests_used: number
  /**
   * Every day of the month up to today.
   */
  days: DayUsage[]
  [k: string]: unknown
}
/**
 * What to scan.
 */
export interface ScanRequest {
  /**
   * The URL to scan: absolute, http or https, at most 2048 characters, a public host, port 80, 443 or none, no credentials.
   */
  url: string
  /**
   * What to add after the standard fields.
   */
  include?: Extra[]
  /**
   * Scan again even if the cache has a result, and replace the cached result.
   */
  fresh?: boolean
  /**
   * How many pages of the site are read; 1 by default. Other ones are chosen from the links of the page. Each page that is read is charged as one scan, and listed in parts. The plan of the key may allow fewer.
   */
  pages?: number
  /**
   * Whether a browser runs the scripts of the page, if the service has one; never by default. auto renders pages that show hardly any text without their scripts. If rendering fails, the page is read as it was fetched, and warnings say why.
   */
  render?: 'never' | 'auto' | 'always'
}
