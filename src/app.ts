import { setTimeout as wait } from 'node:timers/promises'
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { type BatchRunner, BatchService } from './batches/batch-service.ts'
import { EmbeddedRunner } from './batches/embedded-runner.ts'
import { openMemoryGate } from './batches/host-gate.ts'
import { WebhookSender } from './batches/webhook.ts'
import type { RulesetInfo } from './detector/ruleset-info.ts'
import { ignoreBodies, registerBodies } from './http/body.ts'
import { registerBotDirectory } from './http/bot-directory.ts'
import { buildSingleFlight } from './http/build-single-flight.ts'
import { registerHealth } from './http/health.ts'
import { registerMcp } from './http/mcp.ts'
import { registerDocs } from './http/openapi/openapi.ts'
import type { AppParts } from './http/parts.ts'
import { PepperCheck } from './http/pepper-check.ts'
import { logDisconnect, logResponse } from './http/request-log.ts'
import { buildHostCheck } from './http/served-hosts.ts'
import { PendingRequests } from './http/server/pending-requests.ts'
import { buildSecurityHeaders } from './http/server/security-headers.ts'
import {
  buildCorsOptions,
  buildProxyWarning,
  checkHost,
  isUpgradeRequest,
  openServer,
  sendFrameworkError,
} from './http/server/server.ts'
import { stopListening } from './http/server/stop-listening.ts'
import { findBasePath, findSlashless } from './http/trailing-slash.ts'
import { registerBatches } from './http/v1/batches.ts'
import { registerCatalogue } from './http/v1/catalogue.ts'
import { registerApiHeaders, registerChecks } from './http/v1/checks.ts'
import { registerMe } from './http/v1/me.ts'
import { buildNotFound } from './http/v1/nearest-path.ts'
import { registerScan } from './http/v1/scan.ts'
import { registerUsage } from './http/v1/usage.ts'
import { isPageRequest, sendErrorPage } from './portal/routes/error-pages.tsx'
import type { Gauges } from './service/metrics.ts'
import { RequestState, sanitizeId } from './service/request-state.ts'
import { ScanLimiter } from './service/scan-limiter.ts'
import { ScanRunner } from './service/scan-runner.ts'
import { ServiceSwitches } from './service/service-switches.ts'
import type { SingleFlight } from './service/single-flight.ts'
import { watchRoutes } from './web/allowed-methods.ts'
import { sendError } from './web/error-responses.ts'

/** Requests that are not answered within this time after a stop are cut off. A scan takes less. */
const CLOSE_TIMEOUT_MS = 20_000
/** Interval of checking whether all requests are answered. */
const CLOSE_POLL_MS = 20

/** The HTTP application, ready to listen. */
export interface App {
  readonly fastify: FastifyInstance
  /** Makes readiness fail and responses close their connection. Requests are still accepted. */
  drain(): void
  /** Stops accepting connections, answers pending requests, closes idle connections and waits for running scans. */
  close(): Promise<void>
}

/** The objects that the parts of the application share. */
interface SharedParts extends AppParts {
  readonly switches: ServiceSwitches
  readonly pepperCheck: PepperCheck
  readonly limiter: ScanLimiter
  readonly singleFlight: SingleFlight
  readonly scans: ScanRunner
  readonly batches: BatchService
  /** Null if other processes run the batches. */
  readonly embedded: EmbeddedRunner | null
  readonly pending: PendingRequests
  readonly drain: { isDraining: boolean }
  readonly readGauges: () => Gauges
}

/** Builds the HTTP application with all routes. */
export async function buildApp(parts: AppParts): Promise<App> {
  const context = buildContext(parts)
  const { switches, pending, drain } = context
  const securityHeaders = buildSecurityHeaders()
  const findHostError = buildHostCheck(parts.settings)
  const fastify = openServer(parts, pending, (pathError, request, reply) => {
    const error = findHostError(request) ?? pathError
    return context.accounts !== null && isPageRequest(request)
      ? sendErrorPage(error, request, reply.headers(securityHeaders))
      : sendFrameworkError(error, request, reply)
  })
  await registerHooks(fastify, context, securityHeaders)
  await registerRoutes(fastify, context)
  registerMetrics(context)
  await switches.open()
  await context.pepperCheck.open()
  await fastify.ready()
  await context.embedded?.open()
  return {
    fastify,
    drain: () => {
      drain.isDraining = true
    },
    close: () => closeApp(fastify, context),
  }
}

function buildContext(parts: AppParts): SharedParts {
  const limiter = new ScanLimiter({ running: parts.settings.scanConcurrency })
  const singleFlight = buildSingleFlight(parts, limiter)
  const switches = new ServiceSwitches(parts.store, parts.log)
  const readGauges = (): Gauges => ({
    scans: limiter,
    workers: parts.workers(),
    inFlight: singleFlight.count,
    isRedisUp: parts.shared.isUp,
    isStoreUp: parts.store.isUp,
    switches: switches.current,
  })
  const pending = new PendingRequests()
  const scans = new ScanRunner({ ...parts, singleFlight, pending })
  const drain = { isDraining: false }
  const pepperCheck = new PepperCheck(parts)
  const embedded = parts.batchRunner === undefined ? buildEmbeddedRunner(parts, singleFlight) : null
  const runner = (parts.batchRunner ?? embedded) as BatchRunner
  const batches = new BatchService({ ...parts, runner })
  return {
    ...parts,
    switches,
    pepperCheck,
    limiter,
    singleFlight,
    scans,
    batches,
    embedded,
    pending,
    drain,
    readGauges,
  }
}

/** Builds what runs batches in this process. It leaves at least half of the scans to requests. */
function buildEmbeddedRunner(parts: AppParts, singleFlight: SingleFlight): EmbeddedRunner {
  const { scanConcurrency, workerConcurrency } = parts.settings
  const concurrency = Math.max(1, Math.min(workerConcurrency, Math.floor(scanConcurrency / 2)))
  const webhooks = new WebhookSender(parts)
  return new EmbeddedRunner({ ...parts, singleFlight, gate: openMemoryGate(parts.clock), webhooks, concurrency })
}

/** Registers the hooks that apply to every request, whatever its path. */
async function registerHooks(
  fastify: FastifyInstance,
  context: SharedParts,
  securityHeaders: ReturnType<typeof buildSecurityHeaders>,
): Promise<void> {
  const { clock, metrics, pending, drain, settings } = context
  const warnOfProxy = buildProxyWarning(context)
  const findHostError = buildHostCheck(settings)
  fastify.decorateRequest('state', null)
  // Hooks that do not wait take a callback: a promise per hook would cost as much as the hook itself.
  fastify.addHook('onRequest', (request, reply, done) => {
    const requestId = sanitizeId(request.headers['x-request-id'], request.id)
    request.state = new RequestState(clock(), requestId, settings.apiRevision)
    reply.headers(securityHeaders).header('x-request-id', request.state.requestId)
    pending.onAbandoned(request.raw, () => logDisconnect(request, reply, metrics))
    warnOfProxy(request.raw)
    checkHost(request.raw)
    done(findHostError(request) ?? undefined)
  })
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Only the last response may close the connection: earlier ones would cut off the responses after them.
    const isLast = isUpgradeRequest(request.raw) || (drain.isDraining && pending.isLast(request.raw))
    if (isLast) reply.header('connection', 'close')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    done(null, payload)
  })
  fastify.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply, metrics)
    done()
  })
  fastify.setErrorHandler(sendError)
  const hasPortal = context.accounts !== null
  const basePath = findBasePath(settings.publicUrl)
  fastify.setNotFoundHandler((request, reply) => {
    const path = findSlashless(request.url, basePath)
    if (path !== null) return reply.redirect(path, 308)
    const error = buildNotFound(request.url, { revision: settings.apiRevision, basePath })
    return (hasPortal && isPageRequest(request) ? sendErrorPage : sendError)(error, request, reply)
  })
}

async function registerRoutes(fastify: FastifyInstance, context: SharedParts): Promise<void> {
  const { corsOrigins } = context.settings
  ignoreBodies(fastify)
  const allowOnlyRegistered = watchRoutes(fastify)
  await registerDocs(fastify, context)
  await registerHealth(fastify, context)
  await registerBotDirectory(fastify, context)
  allowOnlyRegistered()
  const registerV1 = async (v1: FastifyInstance): Promise<void> => {
    if (corsOrigins.length > 0) await v1.register(cors, buildCorsOptions(corsOrigins))
    registerBodies(v1)
    registerChecks(v1, context)
    registerApiHeaders(v1, context)
    registerScan(v1, context)
    registerMe(v1, context)
    await registerUsage(v1, context)
    await registerCatalogue(v1, context)
    await registerBatches(v1, context)
  }
  await fastify.register(registerV1, { prefix: '/api/v1' })
  if (context.settings.mcp !== 'off') await fastify.register((scope) => registerMcp(scope, context))
  const { accounts } = context
  if (accounts === null) return
  const { registerPortal } = await import('./portal/routes/portal.ts') // Loaded only if it is used.
  await registerPortal(fastify, { ...context, accounts })
}

function registerMetrics({ metrics, rules, version, readGauges }: SharedParts): void {
  metrics.watch(readGauges)
  const setBuildInfo = ({ version: ruleset }: RulesetInfo): void => {
    metrics.buildInfo.reset()
    metrics.buildInfo.set({ version, ruleset, node: process.version }, 1)
  }
  setBuildInfo(rules.current)
  rules.onChange(setBuildInfo)
}

async function closeApp(
  fastify: FastifyInstance,
  { pending, singleFlight, switches, embedded }: SharedParts,
): Promise<void> {
  const batchesEnded = embedded?.close()
  await stopListening(fastify.server)
  const closed = fastify.close()
  const end = performance.now() + CLOSE_TIMEOUT_MS
  while (pending.count > 0 && performance.now() < end) await wait(CLOSE_POLL_MS)
  fastify.server.closeAllConnections() // A connection that never sent a request would keep the server open.
  await Promise.all([closed, batchesEnded, singleFlight.settle()])
  switches.close()
}
