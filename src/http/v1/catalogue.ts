import { createHash } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { CATALOGUE_KINDS } from '../../detector/catalogue.ts'
import type { RulesetInfo } from '../../detector/ruleset-info.ts'
import { computeOncePerRuleset } from '../../scan/current-rules.ts'
import type { Catalogue } from '../../service/response-schemas.ts'
import type { AppParts } from '../parts.ts'
import type { Operation } from './operation.ts'
import { CATALOGUE_HEADERS, CATALOGUE_QUERY } from './request-schemas.ts'
import { registerGet2 } from './revision-2.ts'

type CatalogueQuery = Static<typeof CATALOGUE_QUERY>

/** A response that is the same for every client: its JSON, and the entity tag of exactly this JSON. */
interface Prepared {
  readonly json: string
  readonly etag: string
}

/** Clients may store a response, but must revalidate it before each use. Shared caches may not. */
const CACHE_CONTROL = 'private, no-cache'

/** `GET /catalogue` in the OpenAPI documents. */
export const GET_CATALOGUE: Operation = {
  method: 'get',
  path: '/catalogue',
  operationId: 'getCatalogue',
  summary: 'What a scan can detect',
  description:
    'Lists builders, hosting providers and CDNs, site types and technologies, ordered by kind, then by slug. Counts against the rate limit, but not against the quota. Exists in revision 2 only. The response is the same until the rules of the service change: send its ETag in If-None-Match to get 304 without a body.',
  query: () => CATALOGUE_QUERY,
  headers: CATALOGUE_HEADERS,
  ok: 'Catalogue',
  since: 2,
  isCacheable: true,
}

/**
 * Registers `GET /catalogue`: what a scan can detect. It counts against the rate limit, but not against the quota. Every response is
 * built once for each ruleset.
 */
export async function registerCatalogue(v1: FastifyInstance, { rules }: AppParts): Promise<void> {
  const prepareAll = computeOncePerRuleset(rules, (current) => ({
    all: prepare(current),
    byKind: new Map(CATALOGUE_KINDS.map((kind) => [kind, prepare(current, kind)])),
  }))
  await registerGet2(v1, {
    operation: GET_CATALOGUE,
    handle: (request, reply) => {
      const { kind } = request.query as CatalogueQuery
      const { all, byKind } = prepareAll()
      const { json, etag } = (kind && byKind.get(kind)) ?? all
      reply.headers({ etag, 'cache-control': CACHE_CONTROL })
      if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
      reply.type('application/json; charset=utf-8')
      return json
    },
  })
}

function prepare({ version, catalogue }: RulesetInfo, wanted?: CatalogueQuery['kind']): Prepared {
  const entries = wanted === undefined ? catalogue : catalogue.filter(({ kind }) => kind === wanted)
  const json = JSON.stringify({ ruleset: version, entries } satisfies Catalogue)
  return { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"` }
}

/** Whether `If-None-Match` names the tag. A proxy that compresses makes a tag weak (`W/`), which does not matter here (RFC 9110, 13.1.2). */
function matchesTag(header: string | undefined, etag: string): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
