import { METHODS } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

/** Makes OPTIONS respond with 204 and `Allow`, and every other method that is not allowed with 405 and `Allow`. */
export function allowOnly(v1: FastifyInstance, url: string, methods: readonly string[]): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  v1.options(url, (_, reply) => reply.code(204).header('allow', allow).send())
  // Node emits CONNECT as its own event, never as a request.
  const others = METHODS.filter((method) => ![...methods, 'OPTIONS', 'CONNECT'].includes(method))
  v1.route({
    method: others,
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
