import type { FastifyInstance } from 'fastify'
import type { Store } from '../store/types.ts'
import { callOf } from './call.ts'

/** Whether the process lives, and whether it should get requests: it should not while it drains or without its store. */
export async function registerHealth(
  app: FastifyInstance,
  { store, state }: { readonly store: Store; readonly state: { readonly isDraining: boolean } },
): Promise<void> {
  const options = { exposeHeadRoute: true, schema: { hide: true } }
  app.get('/health/live', options, async () => ({ status: 'live' }))
  app.get('/health/ready', options, async (request, reply) => {
    const why = state.isDraining
      ? 'draining'
      : await store.ping().then(
          () => null,
          () => 'store',
        )
    if (why === null) return { status: 'ready' }
    callOf(request).reason = why === 'store' ? 'store_away' : 'draining'
    return reply.code(503).send({ status: 'not ready', why })
  })
}
