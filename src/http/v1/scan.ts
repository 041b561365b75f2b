import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CacheEntry } from '../../coordination/types.ts'
import { type ApiError, ScanError } from '../../errors.ts'
import { parseTarget } from '../../fetch/target.ts'
import type { Key } from '../../keys/types.ts'
import { buildCacheKey } from '../../scan/cache-entry.ts'
import { LIVE_EXTRAS } from '../../scan/extras.ts'
import type { SingleFlight } from '../../scan/single-flight.ts'
import { invalid } from '../body.ts'
import { formatResult } from '../cached-response.ts'
import type { AppParts } from '../parts.ts'
import { Quota } from '../quota.ts'
import { findRevision } from '../rate-limit.ts'
import { getRequestState, type RequestState, type ScanRequest } from '../request-state.ts'
import type { PendingRequests } from '../server/pending-requests.ts'
import { allowOnly, buildOperation, keepValidationError, type ReadRequest } from './route.ts'
import { POST_QUERY, SCAN_BODY, SCAN_QUERY } from './schemas.ts'

/** How long a request waits for its scan: longer than the longest scan, including its time in queues. */
const WAIT_MS = 18_000

interface ScanParts extends AppParts {
  readonly singleFlight: SingleFlight
  readonly pending: PendingRequests
}

/** Registers `GET` and `POST /scan`. */
export function registerScan(v1: FastifyInstance, parts: ScanParts): void {
  const handlerParts = { ...parts, quota: new Quota(parts.store, parts.settings.plans) }
  const handler = (request: FastifyRequest, reply: FastifyReply) => handleScan(request, reply, handlerParts)
  const options = { attachValidation: true, config: { read: buildReader(parts) } }
  const shared = { summary: 'Scan a URL', description: DESCRIPTION, ok: 'ScanResult' as const }
  const get = { ...shared, operationId: 'scanByQuery', querystring: SCAN_QUERY }
  const post = { ...shared, operationId: 'scan', querystring: POST_QUERY, body: SCAN_BODY }
  v1.get('/scan', { ...options, schema: buildOperation(get) }, handler)
  v1.post('/scan', { ...options, schema: buildOperation(post) }, handler)
  allowOnly(v1, '/scan', ['GET', 'POST'])
}

const DESCRIPTION =
  'Detects what the site is made with. A result is cached for one hour; a cached response has cached set to true and the header Age. Only a 200 response is charged to the monthly quota; every request counts against the rate limit.'

/** Builds the function that reads the parameters of a scan. */
function buildReader({ policy, rules }: Pick<AppParts, 'policy' | 'rules'>): ReadRequest {
  return (request, state) => {
    keepValidationError(request, state)
    if (state.error !== undefined) return {}
    const result = parseScanRequest(request, { policy, rules })
    if (result instanceof Error) {
      state.error = result
      return {}
    }
    state.scanRequest = result
    return result.fresh ? {} : { entry: result.cacheKey, extras: result.include.length > 0 }
  }
}

/** The validated parameters of a request. A parameter in the body takes precedence over the same one in the query. */
type Parameters = Static<typeof SCAN_QUERY> | Static<typeof SCAN_BODY>

function parseScanRequest(
  { query, body }: FastifyRequest,
  { policy, rules }: Pick<AppParts, 'policy' | 'rules'>,
): ScanRequest | ApiError | ScanError {
  const { url, include = [], fresh } = { ...(query as object), ...(body as object | undefined) } as Parameters
  const names = [include].flat().flatMap((list) => list.split(','))
  try {
    const target = parseTarget(url, policy)
    return {
      target,
      cacheKey: buildCacheKey(target.url, rules.version),
      include: LIVE_EXTRAS.filter((extra) => names.includes(extra)),
      fresh: fresh === true || fresh === 'true',
    }
  } catch (error) {
    return error instanceof ScanError ? error : invalid('url is not valid.')
  }
}

interface HandlerParts extends ScanParts {
  readonly quota: Quota
}

async function handleScan(request: FastifyRequest, reply: FastifyReply, parts: HandlerParts): Promise<unknown> {
  const { settings, rules, pending, quota } = parts
  const state = getRequestState(request) as RequestState & { key: Key; scanRequest: ScanRequest }
  const { key, now, scanRequest } = state
  const entry = await findResult(request.id, state, parts)
  const cached = Boolean(state.entry)
  const revision = findRevision(key, settings)
  const { include } = scanRequest
  const response = formatResult(entry, { cached, include, revision, categories: rules.categories })
  if (pending.hasReceivedEnd(request.raw) && (await pending.hasDisconnected(request.raw))) return abandon(reply)
  await quota.charge(state, key) // The last step: a response that cannot be sent is not charged.
  if (cached) reply.header('age', String(Math.max(0, Math.floor((now - entry.at) / 1000))))
  reply.type('application/json; charset=utf-8')
  return response
}

/** Finds a result in the cache, or scans. A failed scan is not charged. */
async function findResult(
  id: string,
  state: RequestState & { readonly key: Key; readonly scanRequest: ScanRequest },
  { metrics, quota, singleFlight }: HandlerParts,
): Promise<CacheEntry> {
  const { key, entry, scanRequest } = state
  const { target, cacheKey, fresh } = scanRequest
  metrics.cache.inc({ result: fresh ? 'fresh' : entry ? 'hit' : 'miss' })
  if (entry) return entry
  await quota.check(state, key)
  return await singleFlight.join({ id, entry: cacheKey, target, fresh, client: key.id, waitMs: WAIT_MS })
}

/** Ends a request whose client has disconnected. Nothing is charged. */
function abandon(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}
