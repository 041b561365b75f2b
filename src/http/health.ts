import type { FastifyInstance } from 'fastify'
import { getRequestState } from './request-state.ts'

/**
 * Registers the liveness and readiness checks. Readiness fails while the service drains and while the store reports errors.
 * It reads the outcome of real store calls and of the store's probe: a check of its own could succeed where those fail.
 */
export async function registerHealth(
  app: FastifyInstance,
  { store, drain }: { readonly store: { readonly isUp: boolean }; readonly drain: { readonly isDraining: boolean } },
): Promise<void> {
  const options = { exposeHeadRoute: true }
  app.get('/health/live', options, async () => ({ status: 'live' }))
  app.get('/health/ready', options, async (request, reply) => {
    const why = drain.isDraining ? 'draining' : store.isUp ? null : 'store'
    if (why === null) return { status: 'ready' }
    getRequestState(request).reason = why === 'store' ? 'store_away' : 'draining'
    return reply.code(503).send({ status: 'not ready', why })
  })
}
