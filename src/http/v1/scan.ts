import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CacheEntry } from '../../coordination/types.ts'
import { buildInvalidRequest } from '../../errors.ts'
import { buildCycloneDx, CYCLONEDX_EXTRAS, CYCLONEDX_TYPE, type DescribedResult } from '../../scan/build-cyclonedx.ts'
import { listExtras } from '../../scan/extras.ts'
import { type FormatOptions, formatResult } from '../../service/cached-response.ts'
import { PreparedResponses } from '../../service/prepared-responses.ts'
import { getRequestState, type RequestState } from '../../service/request-state.ts'
import type { ScanRunner, ScanState } from '../../service/scan-runner.ts'
import { abandonRequest } from '../../web/abandon-request.ts'
import { allowOnly } from '../../web/allowed-methods.ts'
import { listParameterNames, type Operation } from './operation.ts'
import { describeInclude, describeUnknown } from './request-error.ts'
import { buildScanQuery, buildScanRequest, POST_QUERY, type ScanBody } from './request-schemas.ts'
import { buildRoute, type ReadRequest, readValidated } from './route.ts'

interface ScanParts {
  readonly scans: ScanRunner
  /** The version of Siteprint. */
  readonly version: string
}

const shared = {
  path: '/scan',
  summary: 'Scan a URL',
  // The document describes JSON alone: with a second type, generated clients lose the type of the result.
  description:
    'Detects what the site is made with. A result is cached for one hour; a cached response has cached set to true and the header Age. Only a 200 response is charged to the monthly quota; every request counts against the rate limit. In revision 2, pages lets one scan read several pages of the site, and render runs the scripts of the page in a browser. In revision 2, Accept: application/vnd.cyclonedx+json gives the technologies and packages as a CycloneDX document instead.',
  ok: 'ScanResult',
  errors: ['invalid_url', 'blocked_target', 'quota_exceeded', 'scan_failed', 'scan_timeout'],
  since: 1,
} as const

/** `GET /scan` in the OpenAPI documents. */
export const SCAN_BY_QUERY: Operation = {
  ...shared,
  method: 'get',
  operationId: 'scanByQuery',
  query: buildScanQuery,
}

/** `POST /scan` in the OpenAPI documents. */
export const SCAN: Operation = { ...shared, method: 'post', operationId: 'scan', body: buildScanRequest }

/** Registers `GET` and `POST /scan`. */
export function registerScan(v1: FastifyInstance, parts: ScanParts): void {
  const handler = buildHandler(parts)
  const read = buildReader(parts.scans)
  v1.get(shared.path, buildRoute(SCAN_BY_QUERY, { read }), handler)
  v1.post(shared.path, buildRoute(SCAN, { read, query: POST_QUERY }), handler)
  allowOnly(v1, shared.path, ['GET', 'POST'])
}

/** Builds the function that reads the parameters of a scan, before the request is counted. A parameter in the body takes precedence over the same one in the query. */
function buildReader(scans: ScanRunner): ReadRequest {
  return (request, state) => {
    const outcome = readValidated(request, state)
    if (outcome.error !== undefined) return outcome
    const parameters = { ...(request.query as object), ...(request.body as object | undefined) } as ScanBody
    const newer = (['pages', 'render'] as const).find((name) => parameters[name] !== undefined)
    if (state.revision === 1 && newer !== undefined) {
      const { operation } = request.routeOptions.config
      const known = operation === undefined ? [] : listParameterNames(operation, 1)
      return { error: buildInvalidRequest(describeUnknown(newer, { known })) }
    }
    const known = listExtras(state.revision)
    if (parameters.include?.every((extra) => known.includes(extra)) ?? true) {
      const extras = acceptsCycloneDx(request, state) ? [...CYCLONEDX_EXTRAS, 'meta' as const] : parameters.include
      return scans.read({ ...parameters, ...(extras && { include: extras }) }, state)
    }
    return { error: buildInvalidRequest(describeInclude(state.revision, parameters.include)) }
  }
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Whether the response is a CycloneDX document: `Accept` names the type. Revision 1 has no other responses than its own. */
function acceptsCycloneDx({ headers }: FastifyRequest, { revision }: Pick<RequestState, 'revision'>): boolean {
  return revision === 2 && (headers.accept ?? '').toLowerCase().includes(CYCLONEDX_TYPE)
}

/** Builds the handler, which runs once the request is counted and its parameters are valid. */
function buildHandler({ scans, version }: ScanParts): Handler {
  const prepared = new PreparedResponses()
  const format = (entry: CacheEntry, state: ScanState): string | Buffer => prepared.format(entry, listOptions(state))
  const formatDocument: typeof format = (entry, state) => {
    const result = JSON.parse(formatResult(entry, listOptions(state))) as DescribedResult
    return JSON.stringify(buildCycloneDx(result, { version, serial: randomUUID() }))
  }
  return async (request, reply) => {
    const state = getRequestState(request) as ScanState
    const isDocument = acceptsCycloneDx(request, state)
    const response = await scans.run(request, state, isDocument ? formatDocument : format)
    if (response === null) return abandonRequest(reply)
    const { entry, now } = state
    if (entry) reply.header('age', String(Math.max(0, Math.floor((now - entry.at) / 1000))))
    reply.type(isDocument ? CYCLONEDX_TYPE : 'application/json; charset=utf-8')
    return response
  }
}

function listOptions({ entry, revision, scanRequest }: ScanState): FormatOptions {
  const { include, pages, rules } = scanRequest
  return { cached: Boolean(entry), include, revision, pages, categories: rules.categories }
}
