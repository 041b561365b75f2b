import { type Static, Type } from '@sinclair/typebox'
import { PAGE_STATES } from '../engine/rule/types.ts'
import type { Level } from '../engine/verdict/verdict-types.ts'
import { TLS_ERRORS, type TlsError } from '../fetch/tls-error.ts'
import { SUPPORT_STATES } from '../lifecycles/find-support.ts'
import { extensible, list, oneOf, orNull, stringOrNull } from './schema-builders.ts'

// A schema with an `$id` is a named component of the OpenAPI documents.

/** Levels of confidence. The specification closes this list. */
export const CONFIDENCE = oneOf<Level>(['high', 'medium', 'low'], { $id: 'Confidence' })

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const milliseconds = Type.Number({ minimum: 0 })

const clause = Type.Object(
  {
    clause: Type.String({ description: 'The clause as written in the rule.' }),
    places: list(text, { description: 'The places it looks at.' }),
    weight: Type.Optional(extensible(['strong', 'medium', 'weak'] as const, { description: 'Weight of the clause.' })),
    points: Type.Optional(
      Type.Integer({ description: 'Site types: tenths of log-odds that the clause gives the type.' }),
    ),
    family: Type.String({ description: 'Clauses of one family are not independent evidence of each other.' }),
    hits: count,
    texts: list(Type.String({ maxLength: 200 }), {
      description: 'The texts that matched, each cut to 200 characters.',
    }),
    through: Type.Optional(
      list(text, { description: 'Tag containers that add such texts to the page: `Google Tag Manager GTM-0A1B2C`.' }),
    ),
  },
  { $id: 'Clause', description: 'A clause of a rule that matched.' },
)

const evidence = Type.Object(
  {
    kind: extensible(['builder', 'technology', 'hosting', 'site-type', 'response'] as const, {
      description: 'Kind of the rule.',
    }),
    slug: text,
    name: text,
    level: orNull(CONFIDENCE),
    points: Type.Integer({ description: '0 to 6; for a site type, its score in tenths of log-odds.' }),
    clauses: list(clause, { description: 'The clauses that matched.' }),
    unseen: list(text, { description: 'Places that the rule looks at and that the scan did not see.' }),
    chosen: Type.Boolean({ description: 'Whether the rule is part of the result.' }),
    note: Type.Optional(
      Type.String({ description: 'Why the rule is not part of the result, or what raised its level.' }),
    ),
  },
  { $id: 'Evidence', description: 'A rule that scored points, and why.' },
)

const infrastructure = Type.Object(
  {
    cdn: stringOrNull({ description: 'Display name of the CDN.' }),
    dns: list(text, { description: 'Registrable domains of the name servers.' }),
    ip: stringOrNull({ description: 'The address that served the page.' }),
    tlsIssuer: stringOrNull({
      description: 'Organisation that issued the certificate; null if the certificate is invalid.',
    }),
    tlsError: orNull(
      extensible(Object.keys(TLS_ERRORS) as TlsError[], {
        description:
          'What is wrong with a certificate: it has expired, is not valid yet, is for another name (wrong_name), is signed by itself, came without the certificate of its issuer (incomplete_chain), is of an unknown issuer, or could not be verified for another reason (invalid).',
      }),
      { description: 'Why the certificate of the site is invalid. The site was read all the same; null otherwise.' },
    ),
    server: stringOrNull({ description: 'The header Server.' }),
    network: orNull(
      Type.Object(
        {
          asn: Type.Integer({ minimum: 1, description: 'Number of the autonomous system.' }),
          name: Type.String({ description: 'Its operator, as it is registered.' }),
        },
        { $id: 'Network', description: 'A network with one operator.' },
      ),
    ),
    reverseDns: stringOrNull({ description: 'The name of the address, if the name has this address.' }),
  },
  {
    $id: 'Infrastructure',
    description: 'With include=infrastructure: where the site runs, as seen from its connection.',
  },
)

const timing = Type.Object(
  {
    fetch: Type.Number({ minimum: 0, description: 'From the start until the page was received.' }),
    evidence: Type.Number({ minimum: 0, description: 'From then until the side evidence was complete.' }),
    bodies: Type.Number({
      minimum: 0,
      description: 'From the same moment until the scripts and style sheets were complete.',
    }),
    match: Type.Number({ minimum: 0, description: 'Parsing and matching, including the wait for a worker.' }),
    total: milliseconds,
  },
  { $id: 'Timing', description: 'With include=timing: milliseconds of each stage of the scan.' },
)

const meta = Type.Object(
  {
    status: Type.Integer({ minimum: 100, maximum: 999, description: 'Status of the final response of the site.' }),
    scannedAt: Type.String({ format: 'date-time', description: 'When the scan ended (UTC, with milliseconds).' }),
    ruleset: Type.String({ description: 'Version of the rules that the result is based on.' }),
    title: stringOrNull({ description: 'Title of the page on one line, cut to 500 characters; null if it has none.' }),
  },
  { $id: 'Meta', description: 'With include=meta: about the scan and the page.' },
)

const page = Type.Object(
  {
    state: extensible(PAGE_STATES, {
      description:
        'What came back: the site, a check of visitors or a refusal (wall), a login before everything, no site or page at this address (missing), an error of a server, maintenance, a suspended account, the page of a server without a site (default-page), a domain for sale (parked), or a page that shows nothing (empty).',
    }),
    by: stringOrNull({
      description: 'Display name of the product or provider whose page came back instead of the site.',
    }),
    status: orNull(Type.Integer({ minimum: 100, maximum: 999, description: 'Status of the final response.' })),
  },
  {
    $id: 'PageAnswer',
    description: 'With include=page, and unasked if the state is not site: what came back.',
  },
)

const support = Type.Object(
  {
    cycle: stringOrNull({ description: 'The release cycle; null if the version does not tell one.' }),
    state: extensible(SUPPORT_STATES, {
      description:
        'On the day of the scan: supported, security-only (only security fixes), ended, or unknown (the version may belong to cycles of different states, or to none that is known).',
    }),
    ends: orNull(Type.String({ format: 'date' }), {
      description: 'The last day with security fixes; null if none is set or known.',
    }),
    latest: stringOrNull({ description: 'The latest version of the cycle that the data has.' }),
    certain: Type.Boolean({
      description: 'False if the page names a distribution that may patch this version for longer.',
    }),
  },
  { $id: 'Support', description: 'Whether the project of a technology still supports the version.' },
)

const detail = Type.Object(
  {
    slug: text,
    name: Type.String({ description: 'Display name, as in technologies.' }),
    category: Type.Object(
      { slug: text, name: text },
      { $id: 'TechnologyCategory', description: 'Category of a technology.' },
    ),
    level: CONFIDENCE,
    version: stringOrNull({ description: 'The version that the page shows.' }),
    website: stringOrNull({ description: 'Website of the vendor.' }),
    impliedBy: stringOrNull({
      description: 'Slug of the entry that implies this one, if that gave it its level; null if the page shows it.',
    }),
    cpe: stringOrNull({ description: 'Complete CPE 2.3 name, with the version if it is known exactly.' }),
    support: orNull(support),
  },
  { $id: 'TechnologyDetail', description: 'What is known about a technology of the result.' },
)

const loadedPackage = Type.Object(
  {
    name: Type.String({ description: 'Name in the npm registry.' }),
    version: stringOrNull({ description: 'The version that the page states.' }),
    purl: Type.String({ description: 'Package URL, with the version if it is a whole one.' }),
  },
  { $id: 'Package', description: 'A package of npm that the page loads by its name.' },
)

/** JSON Schemas of the extras, which `include` adds after the ten fields. */
export const EXTRA_SCHEMAS = {
  evidence: list(evidence, { description: 'With include=evidence: every rule that scored points, and why.' }),
  versions: Type.Unsafe<Readonly<Record<string, string>>>({
    type: 'object',
    additionalProperties: text,
    description: 'With include=versions: name → version.',
  }),
  infrastructure,
  timing,
  warnings: list(text, {
    description: 'With include=warnings: what was cut off, and which places were not looked at.',
  }),
  meta,
  page,
  details: list(detail, {
    description: 'With include=details: the technologies, in the same order, with what is known about each.',
  }),
  packages: list(loadedPackage, {
    description: 'With include=packages: the npm packages that the page loads by name, ordered by name and version.',
  }),
} as const

const part = Type.Object(
  {
    url: Type.String({ description: 'The final URL of the page.' }),
    builder: stringOrNull({ description: 'Display name of the builder of the page.' }),
    builderSlug: stringOrNull({ description: 'Identifier of the builder.' }),
    confidence: orNull(CONFIDENCE, { description: 'Confidence in the builder; null exactly when builder is null.' }),
    siteType: stringOrNull({ description: 'Purpose of the page; null if it gives no indication.' }),
    technologies: list(text, { description: 'Display names of the technologies of the page.' }),
  },
  { $id: 'Part', description: 'A page of the site that was read.' },
)
export type SystemPart = Static<typeof part>

/** JSON Schema of the pages of a scan of several pages. It is not an extra: `pages` asks for it, and the result always has it then. */
export const PARTS_SCHEMA = list(part, {
  description:
    'With pages of 2 or more: the pages that were read, the first one first. Each is charged as one scan. The other fields of the result unite their technologies.',
})

/** All extras of a scan. */
export type Extras = { readonly [K in keyof typeof EXTRA_SCHEMAS]: Static<(typeof EXTRA_SCHEMAS)[K]> }
