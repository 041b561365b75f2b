import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CacheEntry } from '../../coordination/types.ts'
import { ScanError } from '../../errors.ts'
import { parseTarget } from '../../fetch/target.ts'
import type { Key } from '../../keys/types.ts'
import { LIVE_EXTRAS } from '../../scan/scanner.ts'
import type { SingleFlight } from '../../scan/single-flight.ts'
import { invalid } from '../body.ts'
import { answerOf, entryKeyOf } from '../cached-response.ts'
import type { HostParts } from '../parts.ts'
import { Usage } from '../quota.ts'
import { revisionOf } from '../rate-limit.ts'
import { type Call, callOf, type ScanOrder } from '../request-state.ts'
import type { Exchanges } from '../server/pending-requests.ts'
import { allowOnly, holdFault, operation, type ReadRequest } from './route.ts'
import { POST_QUERY, SCAN_BODY, SCAN_QUERY } from './schemas.ts'

/** Longer than the longest scan, its waiting for room included. */
const WAIT_MS = 18_000

interface ScanParts extends HostParts {
  readonly flights: SingleFlight
  readonly exchanges: Exchanges
}

interface Fields {
  readonly url: string
  readonly include?: string | string[]
  readonly fresh?: boolean | 'true' | 'false'
}

/** `POST` and `GET /scan`: what a site is made with. */
export function registerScan(v1: FastifyInstance, parts: ScanParts): void {
  const { settings, store, rules, policy, metrics, flights, exchanges } = parts
  const usage = new Usage(store, settings.plans)

  const read: ReadRequest = (request, call) => {
    holdFault(request, call)
    if (call.fault === undefined) readOrder(request, call)
    if (call.order === undefined || call.order.fresh) return {}
    return { entry: call.order.entry, extras: call.order.include.length > 0 }
  }

  function readOrder(request: FastifyRequest, call: Call): void {
    // Where both say something, the body does.
    const { url, include = [], fresh } = { ...(request.query as Fields), ...(request.body as Fields | undefined) }
    try {
      const wanted = [include].flat().flatMap((names) => names.split(','))
      const target = parseTarget(url, policy)
      call.order = {
        target,
        entry: entryKeyOf(target.url, rules.version),
        include: LIVE_EXTRAS.filter((extra) => wanted.includes(extra)),
        fresh: fresh === true || fresh === 'true',
      }
    } catch (error) {
      call.fault = error instanceof ScanError ? error : invalid('url is not valid.')
    }
  }

  /** From the cache or from a flight: nobody is charged for what failed. */
  async function findEntry(id: string, call: Call, key: Key): Promise<CacheEntry> {
    const { target, entry, fresh } = call.order as ScanOrder
    metrics.cache.inc({ result: fresh ? 'fresh' : call.entry ? 'hit' : 'miss' })
    if (call.entry) return call.entry
    await usage.check(call, key)
    return await flights.join({ id, entry, target, fresh, client: key.id, waitMs: WAIT_MS })
  }

  async function scan(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const call = callOf(request)
    const { key, order } = call as { key: Key; order: ScanOrder }
    const entry = await findEntry(request.id, call, key)
    const cached = Boolean(call.entry)
    const revision = revisionOf(key, settings)
    const answer = answerOf(entry, { cached, include: order.include, revision, categories: rules.categories })
    if (await exchanges.hasDisconnected(request.raw)) return abandon(reply)
    await usage.charge(call, key) // Last: what cannot be answered is not charged.
    if (cached) reply.header('age', String(Math.max(0, Math.floor((call.now - entry.at) / 1000))))
    reply.type('application/json; charset=utf-8')
    return answer
  }

  const shared = { description: DESCRIPTION, ok: 'ScanResult' as const }
  const options = { attachValidation: true, config: { read } }
  const get = { ...shared, operationId: 'scanByQuery', summary: 'Scan a URL', querystring: SCAN_QUERY }
  const post = { ...shared, operationId: 'scan', summary: 'Scan a URL', querystring: POST_QUERY, body: SCAN_BODY }
  v1.get('/scan', { ...options, schema: operation(get) }, scan)
  v1.post('/scan', { ...options, schema: operation(post) }, scan)
  allowOnly(v1, '/scan', ['GET', 'POST'])
}

/** Ends a request whose client has disconnected: nothing is charged, and there is nobody to respond to. */
function abandon(reply: FastifyReply): FastifyReply {
  reply.hijack()
  reply.raw.destroy()
  return reply
}

const DESCRIPTION =
  'Tells what the site is made with. A result is kept for an hour and then served from the cache (cached is true, and the header Age tells its age). Only an answer of 200 is charged to the month; every request counts against the minute.'
