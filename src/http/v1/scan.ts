import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CacheEntry } from '../../coordination/types.ts'
import { formatResult } from '../cached-response.ts'
import type { AppParts } from '../parts.ts'
import { findRevision } from '../rate-limit.ts'
import { getRequestState } from '../request-state.ts'
import { abandon, type ScanRunner, type ScanState } from '../scan-runner.ts'
import { allowOnly, buildOperation, keepValidationError, type ReadRequest } from './route.ts'
import { POST_QUERY, SCAN_BODY, SCAN_QUERY } from './schemas.ts'

interface ScanParts extends Pick<AppParts, 'settings' | 'rules'> {
  readonly scans: ScanRunner
}

/** Registers `GET` and `POST /scan`. */
export function registerScan(v1: FastifyInstance, parts: ScanParts): void {
  const handler = buildHandler(parts)
  const options = { attachValidation: true, config: { read: buildReader(parts.scans) } }
  const shared = { summary: 'Scan a URL', description: DESCRIPTION, ok: 'ScanResult' as const }
  const get = { ...shared, operationId: 'scanByQuery', querystring: SCAN_QUERY }
  const post = { ...shared, operationId: 'scan', querystring: POST_QUERY, body: SCAN_BODY }
  v1.get('/scan', { ...options, schema: buildOperation(get) }, handler)
  v1.post('/scan', { ...options, schema: buildOperation(post) }, handler)
  allowOnly(v1, '/scan', ['GET', 'POST'])
}

const DESCRIPTION =
  'Detects what the site is made with. A result is cached for one hour; a cached response has cached set to true and the header Age. Only a 200 response is charged to the monthly quota; every request counts against the rate limit.'

/** The validated parameters of a request. A parameter in the body takes precedence over the same one in the query. */
type Parameters = Static<typeof SCAN_QUERY> | Static<typeof SCAN_BODY>

/** Builds the function that reads the parameters of a scan. */
function buildReader(scans: ScanRunner): ReadRequest {
  return (request, state) => {
    keepValidationError(request, state)
    if (state.error !== undefined) return {}
    const { query, body } = request
    return scans.read({ ...(query as object), ...(body as object | undefined) } as Parameters, state)
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

function buildHandler({ scans, settings, rules: { categories } }: ScanParts): Handler {
  const format = (entry: CacheEntry, { key, entry: found, scanRequest: { include } }: ScanState): string =>
    formatResult(entry, { cached: Boolean(found), include, revision: findRevision(key, settings), categories })
  return async (request, reply) => {
    const state = getRequestState(request) as ScanState
    const response = await scans.run(request, state, format)
    if (response === null) return abandon(reply)
    const { entry, now } = state
    if (entry) reply.header('age', String(Math.max(0, Math.floor((now - entry.at) / 1000))))
    reply.type('application/json; charset=utf-8')
    return response
  }
}
