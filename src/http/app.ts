import { setTimeout as wait } from 'node:timers/promises'
import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { Admission } from '../scan/scan-limiter.ts'
import { Flights } from '../scan/single-flight.ts'
import { Authenticator } from './auth.ts'
import { ignoreBodies, registerBodies } from './body.ts'
import { addressOf, clientOf } from './client-address.ts'
import { sendError, toApiError } from './error-responses.ts'
import { registerHealth } from './health.ts'
import { registerDocs } from './openapi.ts'
import type { HostParts } from './parts.ts'
import { setRateHeaders, takeMinute, windowOf } from './rate-limit.ts'
import { noteAnswer, noteDisconnect, noteFailure } from './request-log.ts'
import { Call, callOf, sanitizeId, type Window } from './request-state.ts'
import { Exchanges } from './server/pending-requests.ts'
import { buildSecurityHeaders } from './server/security-headers.ts'
import { asksForUpgrade, buildProxyWarning, checkHost, corsOf, openServer } from './server/server.ts'
import { stopListening } from './server/stop-listening.ts'
import { Switchboard } from './service-switches.ts'
import { registerMe } from './v1/me.ts'
import { watchRoutes } from './v1/route.ts'
import { registerScan } from './v1/scan.ts'

/** What is not answered by then is cut off: a scan takes less. */
const CLOSE_MS = 20_000
/** Between two looks whether all is answered. */
const LOOK_MS = 20

/** The host, ready to listen, and what ends with it. */
export interface Host {
  readonly app: FastifyInstance
  /** From now on it is not ready: answers ask for their connection to be closed. */
  drain(): void
  /** Answers the requests under way, ends what is idle, and waits for the scans under way. */
  close(): Promise<void>
}

/** Builds the host: every route, in the order in which a request goes through it. */
export async function buildHost(parts: HostParts): Promise<Host> {
  const { settings, store, metrics } = parts
  const switchboard = new Switchboard(store, parts.log)
  const admission = new Admission({ running: settings.scanConcurrency })
  const flights = new Flights({
    ...parts,
    scan: ({ url }, client) => scanTimed(parts, admission, { url, client }),
    onFailure: (order, error) => noteFailure(parts.log, order, error),
  })
  const state = { isDraining: false }
  const exchanges = new Exchanges()
  const app = openServer(parts, exchanges)
  const security = await buildSecurityHeaders()
  const warnOfProxy = buildProxyWarning(parts)

  app.decorateRequest('call', null)
  // Hooks that wait for nothing take a callback: a promise for each would cost as much as what they do.
  app.addHook('onRequest', (request, reply, done) => {
    request.call = new Call(parts.clock(), sanitizeId(request.headers['x-request-id'], request.id))
    reply.headers(security).header('x-request-id', request.call.requestId)
    exchanges.onAbandoned(request.raw, () => noteDisconnect(request, reply, metrics))
    warnOfProxy(request.raw)
    checkHost(request.raw)
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    // With an earlier answer the connection would end before the later ones.
    const ends = asksForUpgrade(request.raw) || (state.isDraining && exchanges.isLast(request.raw))
    if (ends) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    noteAnswer(request, reply, metrics)
    done()
  })
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendError(new ApiError('not_found'), request, reply))
  ignoreBodies(app)
  const allowOthers = watchRoutes(app)
  await registerDocs(app, parts)
  await registerHealth(app, { store, state })
  allowOthers()
  await app.register(
    async (v1) => {
      if (settings.corsOrigins.length > 0) await v1.register(cors, corsOf(settings.corsOrigins))
      registerSteps(v1, { ...parts, switchboard })
      registerScan(v1, { ...parts, flights, exchanges })
      registerMe(v1, parts)
    },
    { prefix: '/api/v1' },
  )
  metrics.watch(() => ({
    scans: admission,
    workers: parts.workers(),
    flights: flights.count,
    isRedisUp: parts.shared.isUp,
    isStoreUp: store.isUp,
    switches: switchboard.switches,
  }))
  metrics.buildInfo.set({ version: parts.version, ruleset: parts.rules.version, node: process.version }, 1)
  await switchboard.open()
  await app.ready()
  return {
    app,
    drain: () => {
      state.isDraining = true
    },
    close: async () => {
      await stopListening(app.server)
      const closed = app.close()
      const end = performance.now() + CLOSE_MS
      while (exchanges.due > 0 && performance.now() < end) await wait(LOOK_MS)
      app.server.closeAllConnections() // One that never asked for anything would keep the door open.
      await Promise.all([closed, flights.settle()])
      switchboard.close()
    },
  }
}

/** Steps that every request of the API takes; those of a scan go on in its route. The order is the contract's. */
function registerSteps(v1: FastifyInstance, parts: HostParts & { readonly switchboard: Switchboard }): void {
  const { shared, settings, switchboard } = parts
  const authenticator = new Authenticator(parts)
  registerBodies(v1)
  v1.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return // A browser asks without a key, and costs nothing.
    const call = callOf(request)
    switchboard.check()
    call.key = await authenticator.authenticate(request.headers, addressOf(request), call)
  })
  v1.addHook('preHandler', async (request) => {
    const call = callOf(request)
    if (call.key === undefined) return
    const { read } = request.routeOptions.config
    const wanted = read?.(request, call) ?? {}
    await takeMinute(call, call.key, { settings, shared, wanted })
    // Where nothing is, or not with this method, nobody reads what is sent there.
    if (read !== undefined && call.fault !== undefined) throw call.fault
  })
  v1.addHook('onSend', (request, reply, payload, done) => {
    const call = callOf(request)
    const finish = (window: Window): void => {
      setRateHeaders(reply, call, window)
      reply.header('cache-control', 'no-store')
      if (call.leavesBody) reply.header('connection', 'close')
      done(null, payload)
    }
    if (call.window) finish(call.window)
    else windowOf(clientOf(addressOf(request)), call.now, shared).then(finish, done)
  })
  v1.setNotFoundHandler(() => {
    throw new ApiError('not_found')
  })
}

async function scanTimed(
  { scan, metrics }: HostParts,
  admission: Admission,
  { url, client }: { readonly url: URL; readonly client: string },
): ReturnType<HostParts['scan']> {
  return await admission.run(url.hostname, async () => {
    const stop = metrics.scanSeconds.startTimer()
    try {
      const result = await scan(url.href, client)
      metrics.scans.inc({ outcome: 'ok' })
      return result
    } catch (error) {
      metrics.scans.inc({ outcome: toApiError(error).code })
      throw error
    } finally {
      stop()
    }
  })
}
