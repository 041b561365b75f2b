import type { FastifyInstance } from 'fastify'
import { callOf } from './request-state.ts'

/**
 * Whether the process lives, and whether it should get requests: not while it drains, nor while its store reports errors.
 * Reads what calls to the store and its probe have found: a check of its own could succeed where they fail.
 */
export async function registerHealth(
  app: FastifyInstance,
  { store, state }: { readonly store: { readonly isUp: boolean }; readonly state: { readonly isDraining: boolean } },
): Promise<void> {
  const options = { exposeHeadRoute: true, schema: { hide: true } }
  app.get('/health/live', options, async () => ({ status: 'live' }))
  app.get('/health/ready', options, async (request, reply) => {
    const why = state.isDraining ? 'draining' : store.isUp ? null : 'store'
    if (why === null) return { status: 'ready' }
    callOf(request).reason = why === 'store' ? 'store_away' : 'draining'
    return reply.code(503).send({ status: 'not ready', why })
  })
}
