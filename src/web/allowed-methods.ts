import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

/**
 * The methods that routes are registered for. All others look for a route as one of them, which no endpoint has: a route of its own for
 * each of the thirty other methods of each path took a twelfth of the start of the service.
 */
const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE']
const OTHER_METHOD = 'TRACE'

/** The methods of requests that look for a route as `OTHER_METHOD`. */
const realMethods = new WeakMap<IncomingMessage, string>()

/** Makes the router look for the route of a request by one of `ROUTED_METHODS`. Call `restoreMethod` as soon as it has found one. */
export function mapMethod(request: IncomingMessage): void {
  const { method = '' } = request
  if (ROUTED_METHODS.includes(method)) return
  realMethods.set(request, method)
  request.method = OTHER_METHOD
}

/** Gives a request its own method again. */
export function restoreMethod(request: IncomingMessage): void {
  if (request.method === OTHER_METHOD) request.method = realMethods.get(request) ?? OTHER_METHOD
}

/** @throws Error for a route that `mapMethod` hides */
export function checkRoutedMethods(methods: string | readonly string[]): void {
  const hidden = [methods].flat().find((method) => !ROUTED_METHODS.includes(method))
  if (hidden !== undefined) throw new Error(`${hidden} is missing in ROUTED_METHODS`)
}

/** Makes OPTIONS respond with 204 and `Allow`, and every other method that is not allowed with 405 and `Allow`. */
export function allowOnly(v1: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  v1.options(url, (_, reply) => reply.code(204).header('allow', allow).send())
  v1.route({
    method: ROUTED_METHODS.filter((method) => ![...methods, 'OPTIONS'].includes(method)),
    url,
    handler: (_, reply) => {
      reply.header('allow', allow)
      throw new ApiError('method_not_allowed')
    },
  })
}

/**
 * Records every route registered from now on.
 * @returns a function that makes all other methods of these routes 405; call it when all of them are registered
 */
export function watchRoutes(app: FastifyInstance): () => void {
  const routes = new Map<string, Set<string>>()
  let isWatching = true
  app.addHook('onRoute', ({ url, method }) => {
    if (isWatching) routes.set(url, new Set([...(routes.get(url) ?? []), ...[method].flat()]))
  })
  return () => {
    isWatching = false
    for (const [url, methods] of routes) allowOnly(app, url, [...methods])
  }
}
