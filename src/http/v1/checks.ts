import type { FastifyInstance } from 'fastify'
import { buildQuotaHeaders } from '../../service/quota.ts'
import { countKeyRequest, findRevision } from '../../service/rate-limit.ts'
import { getRequestState, type RateLimitWindow } from '../../service/request-state.ts'
import type { ServiceSwitches } from '../../service/service-switches.ts'
import { findClientAddress, normalizeClient } from '../../web/client-address.ts'
import { Authenticator } from '../auth.ts'
import type { AppParts } from '../parts.ts'
import { readAddressWindow, setRateHeaders } from '../rate-headers.ts'
import { findBasePath, findSlashless } from '../trailing-slash.ts'
import { buildNotFound } from './nearest-path.ts'

/**
 * Registers the checks of every API request in the order that docs/api.md specifies. The runner of scans makes more checks.
 *
 * The reader of a route runs before the request is counted, because the cached result is read with the count; its error is thrown
 * after the count.
 */
export function registerChecks(
  v1: FastifyInstance,
  context: ConstructorParameters<typeof Authenticator>[0] &
    Pick<AppParts, 'shared' | 'settings'> & { readonly switches: ServiceSwitches },
): void {
  const { shared, settings, switches } = context
  const keys = new Authenticator(context)
  const basePath = findBasePath(settings.publicUrl)
  // Runs before all checks: the redirect says nothing about the path, and clients send their key again.
  v1.addHook('onRequest', (request, reply, done) => {
    const path = findSlashless(request.url, basePath)
    if (path === null) done()
    else reply.redirect(path, 308)
  })
  v1.addHook('onRequest', async (request) => {
    if (request.method === 'OPTIONS') return // Browsers send preflight requests without a key; they are not counted.
    const state = getRequestState(request)
    switches.check()
    const key = await keys.authenticate(request.headers, findClientAddress(request), state)
    state.key = key
    state.revision = findRevision(key, settings)
  })
  v1.addHook('preHandler', async (request) => {
    const state = getRequestState(request)
    if (state.key === undefined) return
    const { read } = request.routeOptions.config
    // An unknown path or method is not read: it gets 404 or 405, whatever is wrong with its body.
    const { error, ...lookup } = read?.(request, state) ?? {}
    await countKeyRequest(state, state.key, { settings, shared, lookup })
    if (error !== undefined) throw error
  })
  v1.setNotFoundHandler((request) => {
    throw buildNotFound(request.url, { revision: getRequestState(request).revision, basePath })
  })
}

/** Sets the headers of rate limit and quota in every response, including errors. */
export function registerApiHeaders(v1: FastifyInstance, { shared }: Pick<AppParts, 'shared'>): void {
  v1.addHook('onSend', (request, reply, payload, done) => {
    const state = getRequestState(request)
    const setHeaders = (window: RateLimitWindow): void => {
      setRateHeaders(reply, state, window)
      if (state.revision === 2) reply.headers(buildQuotaHeaders(state))
      if (state.hasUnreadBody) reply.header('connection', 'close')
      done(null, payload)
    }
    if (state.window) setHeaders(state.window)
    else readAddressWindow(normalizeClient(findClientAddress(request)), state.now, shared).then(setHeaders, done)
  })
}
